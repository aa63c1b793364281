import Glibc

/// A program that was installed together with this one.
public enum HelperLocator {
    /// Why it was not found.
    public enum Absence: Error, Equatable, Sendable {
        /// In none of these places.
        case missing([String])
        /// A user who could not change this program could change the helper, or its directory.
        case untrusted(String)
    }

    /// Finds it next to this program's own file, or in `../libexec/wifi-toggler` from there. PATH and the
    /// working directory are not used.
    public static func find(_ name: String) throws(Absence) -> String {
        // The path of this process's file (proc(5)), also after it was replaced.
        try find(name, own: SymbolicLink.target("/proc/self/exe") ?? "")
    }

    /// `share/wifi-toggler` below the prefix that this program was installed to; nil: its path is unknown.
    public static var sharedDirectory: String? {
        sharedDirectory(own: SymbolicLink.target("/proc/self/exe") ?? "")
    }

    static func sharedDirectory(own: String) -> String? {
        let parts = own.split(separator: "/", omittingEmptySubsequences: false)
        // "", PREFIX, DIRECTORY, PROGRAM
        guard own.first == "/", parts.count > 2 else { return nil }
        return parts.dropLast(2).joined(separator: "/") + "/share/wifi-toggler"
    }

    static func find(_ name: String, own: String) throws(Absence) -> String {
        guard own.first == "/", let slash = own.lastIndex(of: "/") else { throw .missing([]) }
        let directory = own[..<slash]
        let prefix = directory.lastIndex(of: "/").map { directory[..<$0] } ?? ""
        let directories = [String(directory), "\(prefix)/libexec/wifi-toggler"]
        for place in directories {
            let path = "\(place)/\(name)"
            guard let file = status(path), file.st_mode & S_IFMT == S_IFREG, access(path, X_OK) == 0
            else { continue }
            guard isAsGuarded(file, as: status(own)), let home = status(place),
                isAsGuarded(home, as: status(String(directory)))
            else { throw .untrusted(path) }
            return path
        }
        throw .missing(directories)
    }

    private static func status(_ path: String) -> stat? {
        var status = stat()
        return stat(path.isEmpty ? "/" : path, &status) == 0 ? status : nil
    }

    /// Whether only root, or a user who could have changed this program as well, can change it. If this
    /// program's file is gone, after an upgrade, only root is trusted.
    private static func isAsGuarded(_ file: stat, as own: stat?) -> Bool {
        let writers = file.st_mode & (S_IWGRP | S_IWOTH)
        guard let own else { return file.st_uid == 0 && writers == 0 }
        let isOwnersAlike = file.st_uid == 0 || file.st_uid == own.st_uid
        let isGroupAlike = writers & S_IWGRP == 0 || file.st_gid == own.st_gid
        return isOwnersAlike && isGroupAlike && writers & ~own.st_mode == 0
    }
}
