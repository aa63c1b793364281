import Platform

/// NetworkManager's configuration (NetworkManager.conf(5)).
package struct NetworkManagerSettings {
    /// The directories of snippets that NetworkManager reads before its own file, and the one that it reads
    /// afterwards. A snippet hides those of the same name in the directories before.
    private static let before = ["/usr/lib/NetworkManager/conf.d", "/run/NetworkManager/conf.d"]
    private static let file = "/etc/NetworkManager/NetworkManager.conf"
    private static let after = "/etc/NetworkManager/conf.d"
    private static let mostFiles = 4096

    /// The paths of the files, in the order in which NetworkManager reads them.
    private let files: [String]

    /// - Parameter root: the root of the file system, without a slash at its end.
    package init(root: String) {
        var last: [String: String] = [:]
        for directory in Self.before + [Self.after] {
            for name in DirectoryListing.of(root + directory, atMost: Self.mostFiles)
            where name.hasSuffix(".conf") {
                last[name] = directory
            }
        }
        func snippets(_ directory: String) -> [String] {
            last.filter { $0.value == directory }.keys.sorted().map { "\(directory)/\($0)" }
        }
        files = (Self.before.flatMap(snippets) + [Self.file] + snippets(Self.after)).map { root + $0 }
    }

    /// The value that counts: that of the last file that has one.
    package func last<Value>(_ value: (SettingLines) -> Value?) -> Value? {
        for file in files.reversed() {
            if let value = SettingLines(file: file).flatMap(value) { return value }
        }
        return nil
    }

    /// Whether NetworkManager lets iwd associate all its stations (`wifi.backend=iwd`). Sections that are only
    /// for some devices (`match-device`) do not count.
    var usesIwd: Bool {
        last { file in
            let limited = Set(file.lines.filter { $0.key == "match-device" }.map(\.group))
            return file.lines.last {
                $0.key == "wifi.backend" && !limited.contains($0.group)
                    && ($0.group == "device" || $0.group.hasPrefix("device-"))
            }?.value
        } == "iwd"
    }
}
