import Model
import Owners
import Platform

/// Finds lines in the tables of cron(8) that change links. Does not examine the programs that a line starts.
struct CronTables {
    private static let largest = 1 << 20
    private static let mostFiles = 1024

    let lines: [MachineFacts.CronLine]

    init(root: String) {
        let directories = ["/etc/cron.d", "/var/spool/cron/crontabs"]
        let files =
            ["/etc/crontab"]
            + directories.flatMap { directory in
                DirectoryListing.of(root + directory, atMost: Self.mostFiles).sorted().map {
                    "\(directory)/\($0)"
                }
            }
        lines = files.flatMap { Self.lines(of: $0, root) }
    }

    private static func lines(of file: String, _ root: String) -> [MachineFacts.CronLine] {
        // Debian's cron(8) ignores files in /etc/cron.d whose names contain a dot.
        if file.hasPrefix("/etc/cron.d/"), file.dropFirst("/etc/cron.d/".count).contains(".") { return [] }
        let bytes = (try? SmallFile.bytes(root + file, largest: largest)) ?? []
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        return lines.enumerated().compactMap { number, line in
            kind(of: SettingLines.trimmed(line)).map {
                MachineFacts.CronLine(file: file, number: number + 1, kind: $0)
            }
        }
    }

    /// Patterns of commands that change links. The words of a pattern must occur in this order, but other
    /// words may be between them.
    private static let rivals: [[String]] = [
        ["ip", "link", "set", "down"], ["ifconfig", "down"], ["ifdown"], ["watchcat"],
        ["nmcli", "radio", "wifi", "off"], ["nmcli", "radio", "all", "off"], ["nmcli", "networking", "off"],
        ["nmcli", "disconnect"], ["systemctl", "restart", "NetworkManager"],
        ["systemctl", "restart", "networking"], ["systemctl", "restart", "wpa_supplicant"],
        ["systemctl", "restart", "systemd-networkd"], ["systemctl", "restart", "iwd"],
        ["systemctl", "restart", "connman"],
    ]

    /// Classifies a line; nil if it is a comment, or does not change links.
    static func kind(of line: ArraySlice<UInt8>) -> MachineFacts.CronLine.Kind? {
        guard let first = line.first, first != UInt8(ascii: "#") else { return nil }
        let ends = Array(" \t;&|()'\"".utf8)
        // Split the line into words, and remove the path and the suffix `.service` from each.
        let words = line.split { ends.contains($0) }.map { word -> String in
            let name = String(decoding: word.split(separator: UInt8(ascii: "/")).last ?? word, as: UTF8.self)
            let suffix = ".service"
            return name.hasSuffix(suffix) ? String(name.dropLast(suffix.count)) : name
        }
        if startsUs(words) { return .ours }
        return blocksWiFi(words) || rivals.contains { isIn(words, $0) } ? .rival : nil
    }

    /// Whether the line starts this program with a command that locks an interface, and not with one such as
    /// `status`. The command comes after options.
    private static func startsUs(_ words: [String]) -> Bool {
        words.split(separator: "wifi-toggler", omittingEmptySubsequences: false).dropFirst()
            .contains { following in
                following.first { !$0.hasPrefix("-") }.map(["run", "toggle", "reconnect"].contains) ?? false
            }
    }

    /// The types of radios after `rfkill block` that include Wi-Fi, and those that do not (rfkill(8)).
    private static let wiFiTypes = ["all", "wifi", "wlan"]
    private static let otherTypes = [
        "bluetooth", "fm", "gps", "nfc", "ultrawideband", "uwb", "wimax", "wwan",
    ]

    /// Whether rfkill(8) blocks radios that are or may be Wi-Fi. It accepts several types and IDs, and an ID
    /// may be that of any radio. The words of the next command, such as the number after `sleep`, do not
    /// count.
    private static func blocksWiFi(_ words: [String]) -> Bool {
        let isNumber = { (word: String) in UInt32(word) != nil }
        return words.drop { $0 != "rfkill" }.split(separator: "block", omittingEmptySubsequences: false)
            .dropFirst().contains { following in
                following.prefix { isNumber($0) || (wiFiTypes + otherTypes).contains($0) }
                    .contains { isNumber($0) || wiFiTypes.contains($0) }
            }
    }

    private static func isIn(_ words: [String], _ pattern: [String]) -> Bool {
        var rest = pattern[...]
        for word in words where word == rest.first { rest = rest.dropFirst() }
        return rest.isEmpty
    }
}
