import Glibc

/// Whether a program is the administrator's own: nobody else can have written it, nor put another in its place.
///
/// Every directory on the way is looked at, and not the file alone behind a descriptor (execveat(2)): the
/// interpreter of a script opens the script a second time by its name, and with a descriptor in place of the
/// name the command would inherit that and be called /dev/fd/3. Where each name on the way belongs to those who
/// are trusted, in a directory that only they can change, nobody can swap it between the look and the start.
public enum TrustedProgram {
    /// Why it is not run.
    public enum Problem: Equatable, Sendable {
        case symbolicLink(String)
        /// On the way there.
        case notADirectory(String)
        case notRegular(String)
        case foreign(String, owner: UInt32)
        /// By its group or by others.
        case writable(String)
        case unreadable(String, SystemError)

        /// A clause whose subject is the file.
        public var words: String {
            switch self {
            case .symbolicLink(let path): "\(path) is a symbolic link"
            case .notADirectory(let path): "\(path) is not a directory"
            case .notRegular(let path): "\(path) is not a regular file"
            case .foreign(let path, let owner): "\(path) belongs to the user \(owner)"
            case .writable(let path): "\(path) is writable by its group or by others"
            case .unreadable(let path, let error): "\(path): \(error.words)"
            }
        }
    }

    /// - Parameters:
    ///   - path: absolute.
    ///   - owners: whom files may belong to, besides root.
    /// - Returns: the first thing that is wrong, from the root on; nil: nothing.
    public static func problem(of path: String, owners: Set<UInt32>) -> Problem? {
        // Bytes, as the kernel sees them: a combining mark behind a stroke makes one Character with it.
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
        // In a sticky directory nobody can move what belongs to somebody else (inode(7)).
        let isSheltered = part == .ancestor && status.st_mode & S_ISVTX != 0
        return status.st_mode & (S_IWGRP | S_IWOTH) != 0 && !isSheltered ? .writable(place) : nil
    }
}
