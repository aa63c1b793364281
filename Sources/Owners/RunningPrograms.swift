import Glibc
import Platform

/// The running programs of this machine that manage networks. They are read from /proc (proc(5)) and, because
/// /proc may hide processes (ProtectProc= of systemd.exec(5)), from the control groups of their units
/// (cgroup.events).
///
/// The name of a process proves nothing, because every user may choose it. Therefore the process must belong
/// to a system account or to this user, and to this network namespace, and its executable must have the same
/// name, or that of a program which contains this one, such as busybox, as far as the kernel reports these.
public struct RunningPrograms: Sendable {
    /// A running program.
    public struct Program: Equatable, Sendable {
        public var kind: ProgramKind
        public var process: Int32
        /// The command line, beginning with the program's own name.
        public var arguments: [String]
    }

    /// A kind of program. The raw value is the name of its process, which the kernel cuts after 15 bytes.
    public enum ProgramKind: String, Sendable, CaseIterable {
        case networkManager = "NetworkManager"
        case networkd = "systemd-network"
        case connman = "connmand"
        case iwd, dhclient, dhcpcd, udhcpc
        case supplicant = "wpa_supplicant"
        /// Programs that set links down and up when the carrier changes.
        case ifplugd, netplugd
        case ourselves = "wifi-toggler"
        /// A program whose first argument is the name of the actual program, such as udhcpc.
        case busybox

        /// The kind of a program whose process has this name; nil: none of them.
        fileprivate init?(process name: String) {
            // BusyBox under any name that begins with its own, such as busybox.nosuid, is BusyBox itself.
            let isBusyBox = name.hasPrefix(Self.busybox.rawValue)
            self.init(rawValue: isBusyBox ? Self.busybox.rawValue : name)
        }

        /// Whether a program of this kind may have an executable of this name.
        fileprivate func mayRun(_ executable: String) -> Bool {
            switch self {
            case .networkd: executable == "systemd-networkd"
            // OpenWrt has one executable for hostapd and wpa_supplicant.
            case .supplicant: executable == rawValue || executable == "wpad"
            // BusyBox has one executable for many commands. Yocto splits it into busybox.nosuid and
            // busybox.suid.
            case .busybox: executable.hasPrefix(rawValue)
            case .udhcpc: executable == rawValue || Self.busybox.mayRun(executable)
            case .networkManager, .connman, .iwd, .dhclient, .dhcpcd, .ifplugd, .netplugd, .ourselves:
                executable == rawValue
            }
        }

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

    /// The first user ID of human users (adduser.conf(5), FIRST_UID).
    private static let firstPerson: uid_t = 1000
    private static let longestCommandLine = 1 << 14
    private static let mostProcesses = 1 << 16

    public let all: [Program]
    /// The kinds of programs whose systemd unit has a process.
    let populated: Set<ProgramKind>
    /// Whether this process can see the processes of other users.
    public let isComplete: Bool

    /// - Parameter root: the root of the file system, without a slash at its end.
    public init(root: String = "") {
        let proc = "\(root)/proc"
        // The network namespace of this process, read once, and only if a network program is found.
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

    public func of(_ kind: ProgramKind) -> [Program] { all.filter { $0.kind == kind } }

    /// The evidence that a kind of program runs, such as "process 123"; nil if there is none.
    func liveness(of kind: ProgramKind) -> String? {
        if let process = of(kind).first?.process { return "process \(process)" }
        return populated.contains(kind) ? kind.unit : nil
    }

    /// Whether the systemd unit of a program has a process.
    package func isPopulated(_ kind: ProgramKind) -> Bool { populated.contains(kind) }

    /// The program with this process ID, such as one from a PID file; nil if there is none.
    func program(_ process: Int32) -> Program? { all.first { $0.process == process } }

    private static func program(
        _ process: Int32, _ name: String, _ proc: String, _ ours: @autoclosure () -> String?
    ) -> Program? {
        guard let kind = ProgramKind(process: name) else { return nil }
        let directory = "\(proc)/\(process)"
        var status = stat()
        guard stat(directory, &status) == 0, status.st_uid < firstPerson || status.st_uid == geteuid() else {
            return nil
        }
        if let executable = SymbolicLink.target("\(directory)/exe"),
            !executableNames(executable).contains(where: kind.mayRun)
        {
            return nil
        }
        if let ours = ours(), let theirs = SymbolicLink.target("\(directory)/ns/net"), theirs != ours {
            return nil
        }
        let arguments = arguments(of: directory)
        guard kind == .busybox else { return Program(kind: kind, process: process, arguments: arguments) }
        guard arguments.dropFirst().first == ProgramKind.udhcpc.rawValue else { return nil }
        return Program(kind: .udhcpc, process: process, arguments: Array(arguments.dropFirst()))
    }

    private static func arguments(of directory: String) -> [String] {
        let bytes = (try? SmallFile.bytes("\(directory)/cmdline", largest: longestCommandLine)) ?? []
        return bytes.split(separator: 0, omittingEmptySubsequences: true)
            .map { String(decoding: $0, as: UTF8.self) }
    }

    /// The possible names of an executable. The kernel appends " (deleted)" to the path if an update has
    /// replaced the file.
    private static func executableNames(_ path: String) -> [String] {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        let mark = " (deleted)"
        return name.hasSuffix(mark) ? [name, String(name.dropLast(mark.count))] : [name]
    }

    private static func populated(_ root: String) -> Set<ProgramKind> {
        let slice = "\(root)/sys/fs/cgroup/system.slice"
        // Without systemd, there are no units.
        guard access(slice, F_OK) == 0 else { return [] }
        return Set(
            ProgramKind.allCases.filter { kind in kind.unit.map { isPopulated("\(slice)/\($0)") } ?? false })
    }

    private static func isPopulated(_ group: String) -> Bool {
        let bytes = try? SmallFile.bytes("\(group)/cgroup.events", largest: longestCommandLine)
        return bytes.map { $0.split(separator: UInt8(ascii: "\n")).contains(Array("populated 1".utf8)[...]) }
            ?? false
    }
}
