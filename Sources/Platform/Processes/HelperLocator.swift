import Glibc

/// Finds programs and files that were installed together with this program.
public enum HelperLocator {
    /// Why a program was not found.
    public enum Absence: Error, Equatable, Sendable {
        /// It is in none of these directories.
        case missing([String])
        /// The helper or its directory can be changed by a user who could not change this program.
        case untrusted(String)
        /// The kernel did not give the properties of this file or directory (stat(2)).
        case unreadable(String, SystemError)
    }

    /// Finds a program in the directory of this program's file, or in `../libexec/wifi-toggler` from there.
    /// Does not use PATH or the working directory.
    public static func find(_ name: String) throws(Absence) -> String {
        // After the file was replaced, the target ends in " (deleted)", but its directory is right (proc(5)).
        try find(name, own: SymbolicLink.target("/proc/self/exe") ?? "")
    }

    /// `share/wifi-toggler` below the installation prefix of this program; nil if its path is unknown.
    public static var sharedDirectory: String? {
        sharedDirectory(own: SymbolicLink.target("/proc/self/exe") ?? "")
    }

    static func sharedDirectory(own: String) -> String? {
        let parts = own.split(separator: "/", omittingEmptySubsequences: false)
        // The parts are "", PREFIX, DIRECTORY, PROGRAM.
        guard own.first == "/", parts.count > 2 else { return nil }
        return parts.dropLast(2).joined(separator: "/") + "/share/wifi-toggler"
    }

    static func find(_ name: String, own: String) throws(Absence) -> String {
        guard own.first == "/", let slash = own.lastIndex(of: "/") else { throw .missing([]) }
        let directory = own[..<slash]
        let prefix = directory.lastIndex(of: "/").map { directory[..<$0] } ?? ""
        let directories = [String(directory), "\(prefix)/libexec/wifi-toggler"]
        var obstacle: Absence?
        for place in directories {
            let path = "\(place)/\(name)"
            let found: stat?
            do throws(Absence) { found = try status(path, mayBeHidden: false) } catch {
                obstacle = obstacle ?? error
                continue
            }
            guard let file = found, file.st_mode & S_IFMT == S_IFREG, access(path, X_OK) == 0
            else { continue }
            guard isAsGuarded(file, as: try status(own)), let home = try status(place, mayBeHidden: false),
                isAsGuarded(home, as: try status(String(directory)))
            else { throw .untrusted(path) }
            return path
        }
        throw obstacle ?? .missing(directories)
    }

    /// - Parameter mayBeHidden: whether a file for which this process may not look counts as not there.
    /// - Returns: the properties of a file; nil if it is not there.
    private static func status(_ path: String, mayBeHidden: Bool = true) throws(Absence) -> stat? {
        var status = stat()
        guard stat(path.isEmpty ? "/" : path, &status) != 0 else { return status }
        let error = SystemError(call: "stat", code: errno)
        if [ENOENT, ENOTDIR].contains(error.code) || mayBeHidden && error.code == EACCES { return nil }
        throw .unreadable(path, error)
    }

    /// Whether only root, or users who could have changed this program as well, can change the file. If this
    /// program's file is gone, as after an upgrade, only root is trusted.
    private static func isAsGuarded(_ file: stat, as own: stat?) -> Bool {
        let writers = file.st_mode & (S_IWGRP | S_IWOTH)
        guard let own else { return file.st_uid == 0 && writers == 0 }
        let isOwnersAlike = file.st_uid == 0 || file.st_uid == own.st_uid
        let isGroupAlike = writers & S_IWGRP == 0 || file.st_gid == own.st_gid
        return isOwnersAlike && isGroupAlike && writers & ~own.st_mode == 0
    }
}
