import Glibc

/// Checks that a program is the administrator's: no other user can have written it, nor replaced it.
///
/// It checks every directory on the path, and not only an opened file (execveat(2)): the interpreter of a
/// script opens the script again by its name, and given a descriptor instead of the name, the command would
/// inherit it and be called /dev/fd/3. If every component of the path belongs to a trusted user, in a
/// directory that only trusted users can change, nobody else can replace it between the check and the start.
public enum TrustedProgram {
    /// Why it is not run.
    public enum Problem: Equatable, Sendable {
        case symbolicLink(String)
        /// A component of the path.
        case notADirectory(String)
        case notRegular(String)
        case foreign(String, owner: UInt32)
        /// By its group or by others.
        case writable(String)
        case unreadable(String, SystemError)

        /// A clause whose subject is the file.
        public var description: String {
            switch self {
            case .symbolicLink(let path): "\(path) is a symbolic link"
            case .notADirectory(let path): "\(path) is not a directory"
            case .notRegular(let path): "\(path) is not a regular file"
            case .foreign(let path, let owner): "\(path) belongs to the user \(owner)"
            case .writable(let path): "\(path) is writable by its group or by others"
            case .unreadable(let path, let error): "\(path): \(error.description)"
            }
        }
    }

    /// - Parameters:
    ///   - path: absolute.
    ///   - owners: the users who may own files, besides root.
    /// - Returns: the first problem, from the root on; nil: none.
    public static func problem(of path: String, owners: Set<UInt32>) -> Problem? {
        // As bytes, like the kernel: a slash and a combining mark after it are one Character.
        let names = path.utf8.split(separator: UInt8(ascii: "/")).map { String($0) ?? "" }
        var place = "/"
        for (depth, name) in ([""] + names).enumerated() {
            if depth > 0 { place += (depth > 1 ? "/" : "") + name }
            let part: Part = depth == names.count ? .file : depth == names.count - 1 ? .directory : .ancestor
            if let problem = problem(of: place, part, owners) { return problem }
        }
        return nil
    }

    private enum Part { case ancestor, directory, file }

    private static func problem(of place: String, _ part: Part, _ owners: Set<UInt32>) -> Problem? {
        var status = stat()
        do throws(SystemError) {
            try check("lstat") { lstat(place, &status) }
        } catch {
            return .unreadable(place, error)
        }
        let kind = status.st_mode & S_IFMT
        if kind == S_IFLNK { return .symbolicLink(place) }
        switch part {
        case .file: if kind != S_IFREG { return .notRegular(place) }
        case .ancestor, .directory: if kind != S_IFDIR { return .notADirectory(place) }
        }
        guard status.st_uid == 0 || owners.contains(status.st_uid) else {
            return .foreign(place, owner: status.st_uid)
        }
        // In a sticky directory a user cannot move other users' files (inode(7)).
        let isSheltered = part == .ancestor && status.st_mode & S_ISVTX != 0
        return status.st_mode & (S_IWGRP | S_IWOTH) != 0 && !isSheltered ? .writable(place) : nil
    }
}
