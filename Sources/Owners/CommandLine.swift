import Glibc

/// Finds interfaces in the command line of another program.
enum CommandLine {
    /// The values of an option in these spellings: `-i wlan0`, `-iwlan0`, `--interface wlan0` and
    /// `--interface=wlan0`, but not after other letters (`-Bi wlan0`). If the value of another option begins
    /// like this option, it is taken for this option. No interface is likely to have the name that results.
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

    /// The same for an option whose values are lists with commas.
    static func lists(_ short: Character, _ long: String?, in arguments: [String]) -> [String] {
        values(short, long, in: arguments)
            .flatMap { $0.utf8.split(separator: UInt8(ascii: ",")).map { String($0) ?? "" } }
    }

    /// Whether the lists of patterns for `-i` and `-I` let the program manage an interface.
    static func allows(
        _ interface: String, _ wanted: String, _ unwanted: String, in arguments: [String]
    ) -> Bool {
        let wanted = lists("i", wanted, in: arguments)
        return (wanted.isEmpty || wanted.contains { matches($0, interface) })
            && !lists("I", unwanted, in: arguments).contains { matches($0, interface) }
    }

    /// The options of dhclient(8) that take a value.
    private static let dhclientValues: Set<String> = [
        "-C", "-D", "-F", "-H", "-R", "-U", "-V", "-cf", "-df", "-e", "-g", "-lf", "-p", "-pf", "-s", "-sf",
        "-timeout", "--address-prefix-len", "--dad-wait-time", "--decline-wait-time", "--prefix-len-hint",
    ]

    /// The interfaces in the command line of a dhclient(8); empty means that it manages all interfaces that
    /// it finds.
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

    /// Whether a name matches a pattern by fnmatch(3), as iwd and dhcpcd match names. (ConnMan knows only `*`
    /// and `?`.)
    static func matches(_ pattern: String, _ name: String) -> Bool { fnmatch(pattern, name, 0) == 0 }
}
