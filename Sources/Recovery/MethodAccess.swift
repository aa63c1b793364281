import Glibc
import Model
import Platform

/// Finds the recovery methods that a process may not carry out, before one is tried: the unit of a service may make /sys
/// read-only, or run the service as a user who may not write there.
public struct MethodAccess {
    /// The place to which a method writes, and a file there that shows whether the process may write; nil:
    /// the method writes to no file of the system.
    private static func place(of method: Method, on interface: String) -> (named: String, file: String)? {
        switch method {
        case .rebind, .reset: ("/sys", "/sys/class/net/\(interface)/device/uevent")
        case .rfkill: ("/dev/rfkill", "/dev/rfkill")
        // The program asks logind over the system bus to reboot the machine.
        case .reboot: ("/run/dbus", "/run/dbus/system_bus_socket")
        case .reassociate, .owner, .restartOwner, .bounce, .hook: nil
        }
    }

    /// The root directory of the process.
    private let root: String
    /// The root directory of this machine.
    private let machine: String
    private let mayWrite: (String) -> SystemError?

    /// The access that this process has.
    public static var ofThisProcess: MethodAccess {
        MethodAccess(root: "") { path in
            faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0
                ? nil : SystemError(call: "faccessat", code: errno)
        }
    }

    /// The access that another process has, as far as it depends on the mounts and the user of that process.
    /// Only root can find this out.
    /// - Parameter root: the root directory of the file system, without a slash at its end.
    public init(of process: Int32, root: String = "") {
        let status = ProcessStatus(of: process, root: root)
        self.init(root: "\(root)/proc/\(process)/root", machine: root) { path in
            // faccessat(2) finds out whether the file system is read-only for that process, but not what its user
            // may write.
            guard faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0 else {
                return SystemError(call: "faccessat", code: errno)
            }
            var file = stat()
            guard stat(path, &file) == 0, status?.mayWrite(file) == false else { return nil }
            return SystemError(call: "faccessat", code: EACCES)
        }
    }

    init(root: String, machine: String = "", mayWrite: @escaping (String) -> SystemError?) {
        self.root = root
        self.machine = machine
        self.mayWrite = mayWrite
    }

    /// Whether a unit of systemd is to reset the device of the interface: the process may not write to /sys,
    /// and the unit is there.
    func needsResetUnit(for interface: String) -> Bool {
        Self.place(of: .reset, on: interface).flatMap { error($0.file) } != nil
            && ResetUnit.isInstalled(for: interface, root: machine)
    }

    /// The methods that would be refused, by the place to which they write. A method whose device does not
    /// exist is left out, because that is another fault. So is `reset` if a unit of systemd can reset the
    /// device. A method whose device exists, but is hidden from the process, counts as refused.
    public func forbidden(of methods: [Method], on interface: String) -> [ForbiddenMethods] {
        var found: [ForbiddenMethods] = []
        for method in methods {
            guard let place = Self.place(of: method, on: interface), let error = error(place.file),
                method != .reset || !ResetUnit.isInstalled(for: interface, root: machine)
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

    private func error(_ file: String) -> SystemError? {
        if access(root + file, F_OK) == 0 { return mayWrite(root + file) }
        // A file that exists on the machine, but not for the process, is hidden from the process. If the process
        // has no root directory either, it has ended.
        guard errno == ENOENT, access("\(root)/", F_OK) == 0, access(machine + file, F_OK) == 0 else {
            return nil
        }
        return SystemError(call: "access", code: ENOENT)
    }
}

extension ProcessStatus {
    /// CAP_DAC_OVERRIDE (capabilities(7)).
    private static let overridesPermissions: Int32 = 1

    /// Whether the owner and the mode of a file, or a capability, let the process write the file; nil if the
    /// status lacks the user, the group or the capabilities of the process.
    fileprivate func mayWrite(_ file: stat) -> Bool? {
        guard let user = fileSystemUser, let group = fileSystemGroup,
            let overrides = has(Self.overridesPermissions)
        else { return nil }
        if overrides { return true }
        if file.st_uid == user { return file.st_mode & S_IWUSR != 0 }
        let isInGroup = ([group] + supplementaryGroups).contains(file.st_gid)
        return file.st_mode & (isInGroup ? S_IWGRP : S_IWOTH) != 0
    }
}
