import Testing

@testable import Invocation

@Suite("Messages about a wrong command line")
struct UsageErrorTests {
    @Test(
        "the message for each mistake says what would be right",
        arguments: [
            (
                .badValue(option: "--delay", value: "90s", problem: .tooLong(.seconds(60)), example: "3s"),
                "--delay: '90s' is more than 60s (for example: --delay 3s)"
            ),
            (
                .badValue(option: "--rise", value: "x", problem: .notANumber, example: "2"),
                "--rise: 'x' is not a whole number (for example: --rise 2)"
            ),
            (
                .badValue(option: "--rise", value: "0", problem: .outOfRange(1...100), example: "2"),
                "--rise: '0' is not between 1 and 100 (for example: --rise 2)"
            ),
            (
                .badValue(
                    option: "--backoff-max", value: "1h", problem: .belowBackoff(.seconds(7200)),
                    example: "1h"),
                "--backoff-max: '1h' is less than backoff, 2h (for example: --backoff-max 2h)"
            ),
            (
                .badValue(
                    option: "--probe", value: "tcp:fd00::1:80", problem: .bracketsMissing, example: "auto"),
                "--probe: 'tcp:fd00::1:80' has an IPv6 address without brackets before the port"
                    + " (for example: --probe tcp:[2001:db8::1]:443)"
            ),
            (
                .badValue(
                    option: "--probe", value: "imcp", problem: .unknownProbe(suggestion: "icmp"),
                    example: "auto"),
                "--probe: 'imcp' is not a known probe; did you mean 'icmp'? (for example: --probe auto)"
            ),
            (
                .badValue(
                    option: "--probe", value: "http:http://a/ 200", problem: .notAnExpectation("200"),
                    example: "auto"),
                "--probe: 'http:http://a/ 200' has '200' after its URL, which is neither"
                    + " status=NUMBER nor body=TEXT (for example: --probe 'http:http://example.net/ status=200')"
            ),
            (
                .badValue(option: "--probe", value: "http://a/", problem: .urlAlone, example: "auto"),
                "--probe: 'http://a/' is a URL, but the kind of probe before it is missing"
                    + " (for example: --probe http:http://example.net/generate_204)"
            ),
            (
                .badValue(
                    option: "--probe", value: "http:ftp://a/", problem: .badURL(.otherScheme("ftp")),
                    example: "auto"),
                "--probe: 'http:ftp://a/' has a URL that begins with 'ftp', not with http or https"
                    + " (for example: --probe http:http://example.net/generate_204)"
            ),
            (
                .badValue(
                    option: "--probe", value: "dns:a@b", problem: .notAServer("b"), example: "auto"),
                "--probe: 'dns:a@b' names the server 'b', which is not an IP address"
                    + " (for example: --probe dns:example.net@192.0.2.53)"
            ),
            (
                .badValue(
                    option: "--probe", value: "command:check", problem: .pathNotAbsolute("check"),
                    example: "auto"),
                "--probe: 'command:check' names 'check', which is not an absolute path"
                    + " (for example: --probe command:/usr/local/bin/check)"
            ),
            (
                .badValue(
                    option: "--hooks-dir", value: "hooks.d", problem: .notAbsolute,
                    example: "/etc/wifi-toggler/hooks.d"),
                "--hooks-dir: 'hooks.d' is neither an absolute path nor 'none'"
                    + " (for example: --hooks-dir /etc/wifi-toggler/hooks.d)"
            ),
            (
                .badValue(option: "--command-user", value: "0", problem: .notAUser, example: "nobody"),
                "--command-user: '0' is not the name of a user (for example: --command-user nobody)"
            ),
            (
                .unknownCommand("tgogle", suggestion: "toggle"),
                "unknown command 'tgogle'; did you mean 'toggle'?"
            ),
            (
                .unknownCommand("wlan0", suggestion: nil),
                "unknown command 'wlan0' (try 'wifi-toggler --help')"
            ),
            (
                .unknownOption("--dleay", suggestion: "--delay"),
                "unknown option '--dleay'; did you mean '--delay'?"
            ),
            (
                .ambiguousOption("--re", candidates: ["--recheck", "--restore"]),
                "option '--re' is ambiguous: --recheck, --restore"
            ),
            (
                .argumentMissing(option: "--delay", placeholder: "DURATION", example: "3s"),
                "--delay: DURATION is missing (for example: --delay 3s)"
            ),
            (.argumentUnexpected(option: "--json"), "--json takes no argument"),
            (
                .optionOfOtherCommand(option: "--delay", command: .list),
                "--delay is not an option of 'list' (try 'wifi-toggler list --help')"
            ),
            (
                .badInterface("a/b", .slash),
                "interface name 'a/b' has a '/' in it (for example: wlan0, or 'wl*')"
            ),
            (.operandUnexpected("b", command: .toggle), "'toggle' takes one interface: 'b' is too many"),
            (.operandUnexpected("b", command: .list), "'list' takes no operand: 'b' is too many"),
            (
                .commandMissing,
                "a command is missing\nUsage: wifi-toggler COMMAND [OPTION]... [INTERFACE]...\n"
                    + "try 'wifi-toggler --help'"
            ),
        ] as [(UsageError, String)])
    func sentence(error: UsageError, sentence: String) {
        #expect(error.description == sentence)
    }

    @Test("control characters in an argument are escaped in the message, and a long argument is cut")
    func hostileText() {
        #expect(QuotedText.quote("a\u{1b}[2J\n\u{202e}") == "'a\\u{1b}[2J\\u{a}\\u{202e}'")
        #expect(QuotedText.quote("Grüße") == "'Grüße'")
        #expect(QuotedText.quote(String(repeating: "x", count: 1_000_000)).count == 65)
    }
}
