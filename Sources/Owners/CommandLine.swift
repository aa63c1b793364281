import Glibc

/// Which interfaces the command line of somebody's program means.
enum CommandLine {
    /// The values of an option, in any of its spellings: `-i wlan0`, `-iwlan0`, `--interface wlan0` and
    /// `--interface=wlan0`. A word that is the value of another option may be taken for it; that an interface is
    /// called like one is not to be expected.
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

    /// The same, each value a list with commas.
    static func lists(_ short: Character, _ long: String?, in arguments: [String]) -> [String] {
        values(short, long, in: arguments)
            .flatMap { $0.utf8.split(separator: UInt8(ascii: ",")).map { String($0) ?? "" } }
    }

    /// Options of dhclient(8) that take a value.
    private static let dhclientValues: Set<String> = [
        "-C", "-D", "-F", "-H", "-R", "-U", "-V", "-cf", "-df", "-e", "-g", "-lf", "-p", "-pf", "-s", "-sf",
        "-timeout", "--address-prefix-len", "--dad-wait-time", "--decline-wait-time", "--prefix-len-hint",
    ]

    /// The interfaces that a dhclient(8) was given; none: it takes all that it finds.
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

    /// fnmatch(3), as iwd, ConnMan and dhcpcd match names.
    static func matches(_ pattern: String, _ name: String) -> Bool { fnmatch(pattern, name, 0) == 0 }
}
