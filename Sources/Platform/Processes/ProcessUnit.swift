import Glibc
import Model

/// The systemd service in which a process runs, from its control group (cgroups(7)): systemd gives each unit
/// a group of its own, with the unit's name.
public enum ProcessUnit: Hashable, Sendable {
    /// The name of the unit, such as `wpa_supplicant.service`.
    case service(String)
    /// The process runs in no service of the system, but for example in a user's session or a container.
    case noService
    /// There is no such process, or its control group cannot be found out.
    case unknown

    /// The longest content of /proc/PID/cgroup and of cgroup.procs that is read, in bytes.
    private static let longest = 1 << 14
    /// The longest name of a unit (systemd.unit(5)).
    private static let longestName = 255
    /// The most groups that are read in one directory.
    private static let mostGroups = 1024
    private static let slice = "system.slice"

    /// - Parameter root: the root of the file system, without a slash at its end.
    public init(of process: Int32, root: String = "") {
        let file = "\(root)/proc/\(process)/cgroup"
        if let bytes = (try? SmallFile.bytes(file, largest: Self.longest)) ?? nil {
            self = Self.unit(inFile: bytes)
        } else if let name = Self.service(with: process, in: "\(root)/sys/fs/cgroup/\(Self.slice)") {
            self = .service(name)
        } else {
            // EPERM: the process exists, but /proc hides it (ProtectProc= of systemd.exec(5)).
            self = kill(process, 0) == -1 && errno == EPERM ? .noService : .unknown
        }
    }

    // MARK: The file of the process

    /// Reads /proc/PID/cgroup, whose lines have the form `HIERARCHY:CONTROLLERS:PATH`. The names of the
    /// groups are not trusted.
    static func unit(inFile bytes: [UInt8]) -> ProcessUnit {
        var isFound = false
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            let parts = line.split(
                separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false)
            // systemd creates its groups in version 2 of cgroups, or in its own hierarchy of version 1.
            guard parts.count == 3,
                parts[0].elementsEqual("0".utf8) && parts[1].isEmpty
                    || parts[1].elementsEqual("name=systemd".utf8)
            else { continue }
            isFound = true
            if let name = service(inPath: parts[2]) { return .service(name) }
        }
        return isFound ? .noService : .unknown
    }

    /// The unit is the first component below the slices. The service itself creates deeper groups, and may
    /// give them the name of another unit.
    private static func service(inPath path: ArraySlice<UInt8>) -> String? {
        guard path.first == UInt8(ascii: "/") else { return nil }
        let names = path.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard let first = names.first, first.elementsEqual(slice.utf8) else { return nil }
        return names.first { !$0.hasSuffix(".slice") }.flatMap(service(named:))
    }

    /// The name of a service, if it has only characters that systemd.unit(5) allows; nil for any other name.
    private static func service(named name: ArraySlice<UInt8>) -> String? {
        let type = ".service"
        guard name.count > type.utf8.count, name.count <= longestName, name.hasSuffix(type),
            name.first != UInt8(ascii: "-"), name.first != UInt8(ascii: "."), name.allSatisfy(isOfUnit)
        else { return nil }
        return String(validating: name, as: UTF8.self)
    }

    private static func isOfUnit(_ byte: UInt8) -> Bool {
        byte.isASCIILetter || byte.isASCIIDigit || ":-_.\\@".utf8.contains(byte)
    }

    // MARK: The processes of all services

    /// Finds the service of a process that /proc may hide. The control groups' lists of processes
    /// (cgroup.procs) are readable by everybody.
    private static func service(with process: Int32, in directory: String, isInner: Bool = false) -> String? {
        for name in DirectoryListing.of(directory, atMost: mostGroups).sorted() {
            let group = "\(directory)/\(name)"
            if let service = service(named: Array(name.utf8)[...]) {
                if contains(process, group) { return service }
            } else if !isInner, name.hasSuffix(".slice"),
                // Instances of a template have a slice of their own.
                let service = service(with: process, in: group, isInner: true)
            {
                return service
            }
        }
        return nil
    }

    private static func contains(_ process: Int32, _ group: String) -> Bool {
        let bytes = (try? SmallFile.bytes("\(group)/cgroup.procs", largest: longest)) ?? nil
        return bytes?.split(separator: UInt8(ascii: "\n")).contains(Array(String(process).utf8)[...]) ?? false
    }
}

extension ArraySlice<UInt8> {
    fileprivate func hasSuffix(_ text: String) -> Bool { suffix(text.utf8.count).elementsEqual(text.utf8) }
}
