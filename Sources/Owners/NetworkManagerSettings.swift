import Platform

/// NetworkManager's configuration (NetworkManager.conf(5)), as far as it matters here.
struct NetworkManagerSettings {
    /// The directories of snippets that NetworkManager reads before its own file, and then the one that it
    /// reads afterwards. A snippet hides those of the same name in the directories before.
    private static let before = ["/usr/lib/NetworkManager/conf.d", "/run/NetworkManager/conf.d"]
    private static let file = "/etc/NetworkManager/NetworkManager.conf"
    private static let after = "/etc/NetworkManager/conf.d"
    private static let mostFiles = 256

    /// Whether NetworkManager lets iwd associate all its stations (`wifi.backend=iwd`). Sections that are only
    /// for some devices (`match-device`) do not count.
    let usesIwd: Bool

    /// - Parameter root: the root of the file system, without a slash at its end.
    init(root: String) {
        let directories = Self.before + [Self.after]
        var last: [String: String] = [:]
        for directory in directories {
            for name in DirectoryListing.of(root + directory, atMost: Self.mostFiles)
            where name.hasSuffix(".conf") {
                last[name] = directory
            }
        }
        func snippets(_ directory: String) -> [String] {
            last.filter { $0.value == directory }.keys.sorted().map { "\(directory)/\($0)" }
        }
        let files = Self.before.flatMap(snippets) + [Self.file] + snippets(Self.after)
        usesIwd = files.lazy.reversed().compactMap { Self.backend(in: root + $0) }.first == "iwd"
    }

    /// The last value of the key in a file; nil if it is not set.
    private static func backend(in file: String) -> String? {
        let lines = SettingLines(file: file)?.lines ?? []
        let limited = Set(lines.filter { $0.key == "match-device" }.map(\.group))
        return lines.last {
            $0.key == "wifi.backend" && !limited.contains($0.group)
                && ($0.group == "device" || $0.group.hasPrefix("device-"))
        }?.value
    }
}
