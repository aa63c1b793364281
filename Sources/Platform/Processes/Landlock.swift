import CLinux
import Glibc

/// Landlock (landlock(7)): the kernel prevents a process, and all programs that it starts, from changing
/// files. Linux has it since 5.13, but a kernel may be built without it, or started without it in the
/// parameter `lsm=`.
public enum Landlock {
    /// The version of the kernel's interface; nil if there is none, or if this process may not use it.
    static let version: Int32? = {
        let version = landlock_version()
        return version > 0 ? version : nil
    }()

    /// Whether programs can be prevented from changing files (``SandboxedProgram/protected``).
    public static var isThere: Bool { version != nil }

    /// Creates rules under which a process cannot change files in these directories or below them. If one of
    /// these directories does not exist, the process cannot create it. Since version 6, it also cannot send
    /// signals to processes to which the rules do not apply. Remote file systems such as NFS that are mounted
    /// beside one of the directories, or beside one of their parents, cannot be changed either. Landlock does
    /// not prevent chmod(2), utime(2) and setxattr(2), and before version 3 it does not prevent truncate(2).
    /// - Parameter directories: absolute paths.
    /// - Returns: a descriptor that the caller closes; nil if the kernel has no Landlock.
    static func protecting(_ directories: [String]) throws(SystemError) -> Int32? {
        guard let version else { return nil }
        var files = landlock_write_file | landlock_change_directory
        if version >= 2 { files |= landlock_refer }
        if version >= 3 { files |= landlock_truncate }
        var rules = landlock_rules(files: files, ports: 0, scopes: version >= 6 ? landlock_scope_signals : 0)
        let ruleset = try check("landlock_create_ruleset") { landlock_create(&rules) }
        _ = fcntl(ruleset, F_SETFD, FD_CLOEXEC)
        let paths = directories.map { resolved($0).utf8.split(separator: UInt8(ascii: "/"))[...] }
        let mounts = (try? SmallFile.text("/proc/self/mountinfo")).map(remoteMounts) ?? []
        allow("", besides: paths.map { $0.map { String($0) ?? "" }[...] }, mounts, files, in: ruleset)
        return ruleset
    }

    /// Allows changes to everything in a directory except the given paths, which are relative to it. Landlock
    /// has only rules that allow, so on every level the siblings of these paths are allowed.
    /// - Parameter mounts: mount points that are not allowed either.
    private static func allow(
        _ directory: String, besides paths: [ArraySlice<String>], _ mounts: Set<String>, _ files: UInt64,
        in ruleset: Int32
    ) {
        for name in DirectoryListing.of(directory + "/", atMost: mostNames) {
            let deeper = paths.filter { $0.first == name }.map { $0.dropFirst() }
            let place = "\(directory)/\(name)"
            if mounts.contains(place) { continue }
            if deeper.isEmpty {
                allow(place, files, in: ruleset)
            } else if deeper.allSatisfy({ !$0.isEmpty }) {
                allow(place, besides: deeper, mounts, files, in: ruleset)
            }
        }
    }

    /// The mount points of file systems that another machine or program serves. Opening such a directory may
    /// block for ever, because the network may be broken.
    /// - Parameter table: the content of /proc/self/mountinfo (proc(5)).
    static func remoteMounts(in table: String) -> Set<String> {
        let mounts = table.split(separator: "\n").compactMap { line -> String? in
            // A line is: … MOUNT_POINT OPTIONS [OPTIONAL_FIELD]... - TYPE SOURCE OPTIONS
            let fields = line.split(separator: " ")
            guard let dash = fields.firstIndex(of: "-"), dash > 4, dash + 1 < fields.count,
                !localTypes.contains(String(fields[dash + 1]))
            else { return nil }
            return unescaped(fields[4])
        }
        return Set(mounts)
    }

    private static let localTypes: Set<String> = [
        "bcachefs", "btrfs", "devtmpfs", "erofs", "exfat", "ext2", "ext3", "ext4", "f2fs", "hfsplus", "jffs2",
        "nilfs2",
        "ntfs3", "overlay", "ramfs", "reiserfs", "squashfs", "tmpfs", "ubifs", "vfat", "xfs", "zfs",
        "cgroup2", "proc",
        "sysfs",
    ]

    /// In mountinfo, a backslash and three octal digits stand for a space, tab, newline or backslash.
    private static func unescaped(_ path: Substring) -> String {
        let parts = path.split(separator: "\\", omittingEmptySubsequences: false)
        return parts.dropFirst().reduce(String(parts[0])) { path, part in
            guard let scalar = UInt8(part.prefix(3), radix: 8) else { return path + "\\" + part }
            return path + String(UnicodeScalar(scalar)) + part.dropFirst(3)
        }
    }

    /// The most names that are allowed in a directory. Any further names stay protected.
    private static let mostNames = 4096

    private static func allow(_ place: String, _ files: UInt64, in ruleset: Int32) {
        let descriptor = open(place, open_path_only | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor != -1 else { return }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT != S_IFLNK else { return }
        let isDirectory = status.st_mode & S_IFMT == S_IFDIR
        var rule = landlock_place(
            allowed: isDirectory ? files : files & (landlock_write_file | landlock_truncate),
            descriptor: descriptor)
        _ = landlock_allow(ruleset, &rule)
    }

    /// The path without symbolic links, as far as it exists (realpath(3)).
    private static func resolved(_ path: String) -> String {
        if let found = realpath(path, nil) {
            defer { free(found) }
            return String(cString: found)
        }
        guard path.utf8.count > 1, let slash = path.lastIndex(of: "/") else { return path }
        let parent = resolved(slash == path.startIndex ? "/" : String(path[..<slash]))
        return (parent == "/" ? "" : parent) + path[slash...]
    }
}
