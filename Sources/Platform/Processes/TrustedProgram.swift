import Glibc

/// Checks that only trusted users can have written a program, or can replace it.
///
/// The check covers every directory on the path. Opening the file and executing the descriptor (execveat(2))
/// would not suit scripts: the interpreter opens the script again by a name such as /dev/fd/3, so the script
/// would inherit the descriptor and run under that name. If all components of the path belong to trusted
/// users, and only trusted users can change the directories, then nobody else can replace the program between
/// the check and its start.
public enum TrustedProgram {
    /// Why a program is not trusted.
    public enum Problem: Equatable, Sendable {
        case symbolicLink(String)
        /// A component of the path is no directory.
        case notADirectory(String)
        case notRegular(String)
        case foreign(String, owner: UInt32)
        /// The group or others may write to it.
        case writable(String)
        case unreadable(String, SystemError)

        /// The problem as text that begins with the path.
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

    /// Checks a program.
    /// - Parameters:
    ///   - path: an absolute path.
    ///   - owners: the user IDs, besides root's, that may own the components of the path.
    /// - Returns: the first problem, starting at the root directory; nil if there is none.
    public static func problem(of path: String, owners: Set<UInt32>) -> Problem? {
        // Split bytes, as the kernel does: in a String, a slash and a combining mark after it are one
        // Character.
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
        // In a sticky directory, a user cannot rename the files of other users (inode(7)).
        let isSheltered = part == .ancestor && status.st_mode & S_ISVTX != 0
        return status.st_mode & (S_IWGRP | S_IWOTH) != 0 && !isSheltered ? .writable(place) : nil
    }
}
