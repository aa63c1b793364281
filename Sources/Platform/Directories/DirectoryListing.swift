import Glibc

/// Lists directories (opendir(3), readdir(3)).
public enum DirectoryListing {
    /// At most this many names in a directory, in no particular order, without `.` and `..`. Empty if the
    /// directory cannot be read. Names that are not UTF-8 are left out.
    public static func of(_ directory: String, atMost most: Int) -> [String] {
        guard let stream = opendir(directory) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while names.count < most, let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(validating: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if let name, name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}
