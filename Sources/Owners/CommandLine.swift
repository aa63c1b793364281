import Glibc

/// Which interfaces the command line of another program names.
enum CommandLine {
    /// The values of an option, in any of its spellings: `-i wlan0`, `-iwlan0`, `--interface wlan0` and
    /// `--interface=wlan0`. The value of another option may be mistaken for it; an interface with such a name
    /// is unlikely.
    static func values(_ short: Character, _ long: String?, in arguments: [String]) -> [String] {
        var values: [String] = []
        var rest = arguments.dropFirst()
        while let word = rest.popFirst() {
            if word == "--" { break }
            if word == "-\(short)" || long.map({ word == "--\($0)" }) ?? false {
                if let value = rest.popFirst() { values.append(value) }
            } else if let long, word.hasPrefix("--\(long)=") {
                values.append(String(word.dropFirst(long.count + 3)))
            } else if word.hasPrefix("-\(short)"), !word.hasPrefix("--") {
                values.append(String(word.dropFirst(2)))
            }
        }
        return values
    }

    /// The same, with comma-separated values.
    static func lists(_ short: Character, _ long: String?, in arguments: [String]) -> [String] {
        values(short, long, in: arguments)
            .flatMap { $0.utf8.split(separator: UInt8(ascii: ",")).map { String($0) ?? "" } }
    }

    /// Options of dhclient(8) that take a value.
    private static let dhclientValues: Set<String> = [
        "-C", "-D", "-F", "-H", "-R", "-U", "-V", "-cf", "-df", "-e", "-g", "-lf", "-p", "-pf", "-s", "-sf",
        "-timeout", "--address-prefix-len", "--dad-wait-time", "--decline-wait-time", "--prefix-len-hint",
    ]

    /// The interfaces on a dhclient(8) command line; none: it manages all that it finds.
    static func interfacesOfDHClient(_ arguments: [String]) -> [String] {
        var interfaces: [String] = []
        var rest = arguments.dropFirst()
        while let word = rest.popFirst() {
            if dhclientValues.contains(word) {
                _ = rest.popFirst()
            } else if !word.hasPrefix("-") {
                interfaces.append(word)
            }
        }
        return interfaces
    }

    /// fnmatch(3), with which iwd, ConnMan and dhcpcd match names.
    static func matches(_ pattern: String, _ name: String) -> Bool { fnmatch(pattern, name, 0) == 0 }
}
