import Glibc
import Platform

/// The running programs of this machine that manage networks, from /proc (proc(5)) and, if that hides them
/// (ProtectProc= of systemd.exec(5)), from the control groups of their units (cgroup.events).
///
/// A name alone proves nothing, because every user may give a process any name: the process must belong to a
/// system account and to this network namespace, and its executable must have the name, too, as far as the
/// kernel reports these.
public struct RunningPrograms: Sendable {
    /// A process.
    public struct Program: Equatable, Sendable {
        public var kind: Kind
        public var process: Int32
        /// The command line, beginning with the program's own name.
        public var arguments: [String]
    }

    /// Raw value: the name of the process, which the kernel cuts after 15 bytes.
    public enum Kind: String, Sendable, CaseIterable {
        case networkManager = "NetworkManager"
        case networkd = "systemd-network"
        case connman = "connmand"
        case iwd, dhclient, dhcpcd, udhcpc
        case supplicant = "wpa_supplicant"
        /// They set links down and up as their carrier goes and comes.
        case ifplugd, netplugd
        case ourselves = "wifi-toggler"
        /// A program that is named by its first argument, such as udhcpc.
        case busybox

        fileprivate var executable: String { self == .networkd ? "systemd-networkd" : rawValue }

        fileprivate var unit: String? {
            switch self {
            case .networkManager: "NetworkManager.service"
            case .networkd: "systemd-networkd.service"
            case .connman: "connman.service"
            case .iwd: "iwd.service"
            case .supplicant: "wpa_supplicant.service"
            case .ourselves: "wifi-toggler.service"
            case .dhclient, .dhcpcd, .udhcpc, .ifplugd, .netplugd, .busybox: nil
            }
        }
    }

    /// User accounts begin here (adduser.conf(5), FIRST_UID).
    private static let firstPerson: uid_t = 1000
    private static let longestCommandLine = 1 << 14
    private static let mostProcesses = 1 << 16

    public let all: [Program]
    /// Programs whose unit has a process.
    let populated: Set<Kind>
    /// Whether processes of other users can be seen.
    public let isComplete: Bool

    /// - Parameter root: of the file system, without a slash at its end.
    public init(root: String = "") {
        let proc = "\(root)/proc"
        // Read once, and only if a manager is found.
        lazy var ours = SymbolicLink.target("\(proc)/self/ns/net")
        var programs: [Program] = []
        var seesFirst = false
        for number in DirectoryListing.of(proc, atMost: Self.mostProcesses) {
            guard let process = Int32(number), process > 0 else { continue }
            guard let name = SmallFile.line("\(proc)/\(number)/comm") else { continue }
            if process == 1 { seesFirst = true }
            if let program = Self.program(process, name, proc, ours) { programs.append(program) }
        }
        all = programs.sorted { $0.process < $1.process }
        isComplete = seesFirst
        populated = Self.populated(root)
    }

    public func of(_ kind: Kind) -> [Program] { all.filter { $0.kind == kind } }

    /// The evidence that it runs; nil: there is none.
    func liveness(of kind: Kind) -> String? {
        if let process = of(kind).first?.process { return "process \(process)" }
        return populated.contains(kind) ? kind.unit : nil
    }

    /// Whether a program runs in its unit.
    package func isPopulated(_ kind: Kind) -> Bool { populated.contains(kind) }

    /// The program of a process, such as one that a file names.
    func program(_ process: Int32) -> Program? { all.first { $0.process == process } }

    private static func program(
        _ process: Int32, _ name: String, _ proc: String, _ ours: @autoclosure () -> String?
    ) -> Program? {
        guard let kind = Kind(rawValue: name) else { return nil }
        let directory = "\(proc)/\(process)"
        var status = stat()
        guard stat(directory, &status) == 0, status.st_uid < firstPerson || status.st_uid == geteuid() else {
            return nil
        }
        if let executable = SymbolicLink.target("\(directory)/exe"),
            !executableNames(executable).contains(kind.executable)
        {
            // busybox and similar programs have one file for many commands.
            guard kind == .udhcpc, executableNames(executable).contains(Kind.busybox.rawValue) else {
                return nil
            }
        }
        if let ours = ours(), let theirs = SymbolicLink.target("\(directory)/ns/net"), theirs != ours {
            return nil
        }
        let arguments = arguments(of: directory)
        guard kind == .busybox else { return Program(kind: kind, process: process, arguments: arguments) }
        guard arguments.dropFirst().first == Kind.udhcpc.rawValue else { return nil }
        return Program(kind: .udhcpc, process: process, arguments: Array(arguments.dropFirst()))
    }

    private static func arguments(of directory: String) -> [String] {
        let bytes = (try? SmallFile.bytes("\(directory)/cmdline", largest: longestCommandLine)) ?? []
        return bytes.split(separator: 0, omittingEmptySubsequences: true)
            .map { String(decoding: $0, as: UTF8.self) }
    }

    /// The name of the file, even if an update has replaced it meanwhile.
    private static func executableNames(_ path: String) -> [String] {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        let mark = " (deleted)"
        return name.hasSuffix(mark) ? [name, String(name.dropLast(mark.count))] : [name]
    }

    private static func populated(_ root: String) -> Set<Kind> {
        let slice = "\(root)/sys/fs/cgroup/system.slice"
        // No systemd, no units.
        guard access(slice, F_OK) == 0 else { return [] }
        return Set(Kind.allCases.filter { kind in kind.unit.map { isPopulated("\(slice)/\($0)") } ?? false })
    }

    private static func isPopulated(_ group: String) -> Bool {
        let bytes = try? SmallFile.bytes("\(group)/cgroup.events", largest: longestCommandLine)
        return bytes.map { $0.split(separator: UInt8(ascii: "\n")).contains(Array("populated 1".utf8)[...]) }
            ?? false
    }
}
