import Glibc
import Model
import Platform

/// Finds the recovery methods that a process may not carry out, before one is tried: the unit of a service may make /sys
/// read-only, or run the service as a user who may not write there.
public struct MethodAccess {
    /// The place to which a method writes, and a file there that exists for the device of the interface; nil: the
    /// method writes to no file of the system.
    private static func place(of method: Method, on interface: String) -> (named: String, file: String)? {
        switch method {
        case .rebind, .reset: ("/sys", "/sys/class/net/\(interface)/device/uevent")
        case .rfkill: ("/dev/rfkill", "/dev/rfkill")
        case .reassociate, .owner, .restartOwner, .bounce, .hook, .reboot: nil
        }
    }

    private let root: String
    private let mayWrite: (String) -> SystemError?

    /// The access that this process has.
    public static var ofThisProcess: MethodAccess {
        MethodAccess(root: "") { path in
            faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0
                ? nil : SystemError(call: "faccessat", code: errno)
        }
    }

    /// The access that another process has, as far as its mounts and its user tell. Only root can find this out.
    /// - Parameter root: the root directory of the file system, without a slash at its end.
    public init(of process: Int32, root: String = "") {
        let status = ProcessStatus("\(root)/proc/\(process)/status")
        self.init(root: "\(root)/proc/\(process)/root") { path in
            // faccessat(2) finds out whether the file system is read-only for that process, but not what its user
            // may write.
            guard faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0 else {
                return SystemError(call: "faccessat", code: errno)
            }
            var file = stat()
            guard let status, stat(path, &file) == 0, !status.mayWrite(file) else { return nil }
            return SystemError(call: "faccessat", code: EACCES)
        }
    }

    init(root: String, mayWrite: @escaping (String) -> SystemError?) {
        self.root = root
        self.mayWrite = mayWrite
    }

    /// The methods that would be refused, by the place to which they write. Methods whose device does not exist are
    /// left out: that is another fault.
    public func forbidden(of methods: [Method], on interface: String) -> [ForbiddenMethods] {
        var found: [ForbiddenMethods] = []
        for method in methods {
            guard let place = Self.place(of: method, on: interface), access(root + place.file, F_OK) == 0,
                let error = mayWrite(root + place.file)
            else { continue }
            if let position = found.firstIndex(where: { $0.place == place.named }) {
                found[position].methods.append(method)
            } else {
                found.append(
                    ForbiddenMethods(methods: [method], place: place.named, error: error.description))
            }
        }
        return found
    }
}

/// The user, the groups and the capabilities of a process (proc_pid_status(5)).
private struct ProcessStatus {
    private let user: UInt32
    private let groups: [UInt32]
    private let capabilities: UInt64
    /// CAP_DAC_OVERRIDE (capabilities(7)).
    private static let overridesPermissions: UInt64 = 1 << 1

    init?(_ path: String) {
        guard let text = (try? SmallFile.text(path)) ?? nil else { return nil }
        var values: [Substring: [Substring]] = [:]
        for line in text.split(separator: "\n") {
            guard let colon = line.firstIndex(of: ":") else { continue }
            values[line[..<colon]] = line[colon...].dropFirst().split { $0 == " " || $0 == "\t" }
        }
        // The fields are the real, effective and saved user ID, and that of the file system.
        let place = 3
        guard let user = values["Uid"]?.dropFirst(place).first.flatMap({ UInt32($0) }),
            let group = values["Gid"]?.dropFirst(place).first.flatMap({ UInt32($0) }),
            let capabilities = values["CapEff"]?.first.flatMap({ UInt64($0, radix: 16) })
        else { return nil }
        self.user = user
        self.capabilities = capabilities
        groups = [group] + (values["Groups"] ?? []).compactMap { UInt32($0) }
    }

    func mayWrite(_ file: stat) -> Bool {
        if capabilities & Self.overridesPermissions != 0 { return true }
        if file.st_uid == user { return file.st_mode & S_IWUSR != 0 }
        return file.st_mode & (groups.contains(file.st_gid) ? S_IWGRP : S_IWOTH) != 0
    }
}
