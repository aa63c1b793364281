import Testing

@testable import Invocation

@Suite("Which mistakes in the configuration file are refused")
struct ConfigurationErrorTests {
    @Test(
        "an invalid file is refused with the line and with what would be right",
        arguments: [
            ("delay = 3s", "test.conf:1: 'delay' stands before the first section (put '[default]' above it)"),
            (
                "[default]\ndelay = 90s",
                "test.conf:2: delay: '90s' is more than 60s (for example: delay = 3s)"
            ),
            ("[default]\n\n# x\ndelya = 3s", "test.conf:4: unknown key 'delya'; did you mean 'delay'?"),
            (
                "[default]\nxyzzy = 3s",
                "test.conf:2: unknown key 'xyzzy' (wifi-toggler.conf(5) has all of them)"
            ),
            ("[default]\n--delay = 3s", "test.conf:2: unknown key '--delay'; did you mean 'delay'?"),
            (
                "[default]\ndelay",
                "test.conf:2: 'delay' is neither '[section]' nor 'key = value'"
                    + " (for example: [default], interval = 60s)"
            ),
            (
                "[default\ndelay = 1s",
                "test.conf:1: '[default' is neither '[section]' nor 'key = value'"
                    + " (for example: [default], interval = 60s)"
            ),
            ("[default]\ndelay =", "test.conf:2: delay: '' is empty (for example: delay = 3s)"),
            (
                "[default]\ndelay = 3s # soon",
                "test.conf:2: delay: '3s # soon' is not a duration"
                    + " (a comment after a value begins with ' ;')"
            ),
            ("[wlan0]\njson = yes", "test.conf:2: 'json' concerns the whole run (move it to [default])"),
            (
                "[default]\nconfig = x",
                "test.conf:2: 'config' is no key of the file (give it on the command line, as --config)"
            ),
            (
                "[default]\nhelp = yes",
                "test.conf:2: 'help' is no key of the file (give it on the command line, as --help)"
            ),
            (
                "\n[a/b]",
                "test.conf:2: section 'a/b' has a '/' in it"
                    + " (for example: [default], [wlan0], [wl*], [mac=02:00:00:00:00:01])"
            ),
            (
                "[]",
                "test.conf:1: section '' is empty"
                    + " (for example: [default], [wlan0], [wl*], [mac=02:00:00:00:00:01])"
            ),
            (
                "[mac 02:00:00:00:00:01]",
                "test.conf:1: section 'mac 02:00:00:00:00:01' is longer than 15 bytes"
                    + " (for example: [default], [wlan0], [wl*], [mac=02:00:00:00:00:01])"
            ),
            (
                "[*aaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeee]",
                "test.conf:1: section '*aaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeee' is longer than"
                    + " 49 bytes (for example: [default], [wlan0], [wl*], [mac=02:00:00:00:00:01])"
            ),
            (
                "[mac=]",
                "test.conf:1: section 'mac=' is not a hardware address (for example: [mac=02:00:00:00:00:01])"
            ),
            (
                "[Mac=]",
                "test.conf:1: section 'Mac=' is not a hardware address (for example: [mac=02:00:00:00:00:01])"
            ),
            (
                "[defualt]\ndelay = 9s",
                "test.conf:1: section 'defualt' is probably a misspelling of [default]"
                    + " (if an interface has this name, write [mac=ADDRESS] or [defual*])"
            ),
            (
                "[wlan0]\ndelay = 9s\n[Default]",
                "test.conf:3: section 'Default' is probably a misspelling of [default]"
                    + " (if an interface has this name, write [mac=ADDRESS] or [Defaul*])"
            ),
            (
                "[mac=02:00]",
                "test.conf:1: section 'mac=02:00' is not a hardware address"
                    + " (for example: [mac=02:00:00:00:00:01])"
            ),
            (
                "[wl[0-9]]",
                "test.conf:1: ']' after the section's name"
                    + " (a glob has no brackets here: write '?' for one letter)"
            ),
            (
                "[wlan0] delay = 3s",
                "test.conf:1: 'delay = 3s' after the section's name"
                    + " (put it into a line of its own; a comment begins with ';')"
            ),
            (
                "[default]\nmethod = bounce,hook",
                "test.conf:2: method: 'bounce,hook' names 'hook' without the absolute path of a program"
                    + " (for example: method = bounce,hook:/usr/local/sbin/heal-wifi)"
            ),
            (
                "[default]\nprobe = auto\nprobe = none",
                "test.conf:3: probe: 'none' is one of several probes; 'none' must be the only one"
                    + " (for example: probe = none)"
            ),
            (
                "[default]\nbackoff-max = 1h\nbackoff = 2h",
                "test.conf:3: backoff-max: '1h' is less than backoff, 2h (for example: backoff-max = 2h)"
            ),
            (
                "[default]\nfall = 3\0",
                "test.conf:2: the control character 0x0, which no value may have"
                    + " (take it out; cat -v shows where it is)"
            ),
            (
                "[default]\n\u{1b}=",
                "test.conf:2: the control character 0x1b, which no value may have"
                    + " (take it out; cat -v shows where it is)"
            ),
            (
                "[default]\nfall = 3" + String(repeating: " ", count: 190) + "x",
                "test.conf:2: the line is longer than 197 bytes"
                    + " (make it shorter; several probes may be several lines)"
            ),
            (
                "[default]\n" + String(repeating: "x", count: 198),
                "test.conf:2: the line is longer than 197 bytes"
                    + " (make it shorter; several probes may be several lines)"
            ),
        ])
    func refuses(text: String, sentence: String) {
        do {
            _ = try SampleFile.parse(text)
            Issue.record("was taken")
        } catch {
            #expect(error.description == sentence)
        }
    }

    @Test("the hooks directory is an absolute path or `none`", arguments: ["hooks.d", "./a", "nones"])
    func hooks(directory: String) {
        let problem = ConfigurationError.Problem.badValue(
            key: "hooks-dir", value: directory, problem: .notAbsolute, example: "/etc/wifi-toggler/hooks.d")
        #expect(throws: ConfigurationError(file: SampleFile.path, line: 2, problem: problem)) {
            try SampleFile.parse("[default]\nhooks-dir = \(directory)\n")
        }
    }
}
