import Model
import Testing

@testable import Invocation

@Suite("Interface names and patterns")
struct InterfacePatternTests {
    @Test(
        "a name or glob matches the expected names only",
        arguments: [
            ("wlan0", ["wlan0"], ["wlan00", "wlan", "Wlan0", ""]),
            ("wl*", ["wl", "wlan0", "wlp2s0"], ["awl", "w"]),
            ("*", ["", "eth0"], []), ("wlan?", ["wlan0", "wlanx"], ["wlan", "wlan10"]),
            ("wlan[0-2]", ["wlan0", "wlan2"], ["wlan3", "wlan-", "wlan"]),
            ("wlan[!0]", ["wlan1"], ["wlan0", "wlan"]),
            ("*a*b*c", ["abc", "xaxbxc"], ["abcx", "acb"]), ("[]]x", ["]x"], ["x"]), ("w[", ["w["], ["w"]),
            ("[a-]", ["a", "-"], ["b"]), ("wl*0", ["wlan0", "wl*0"], ["wlan1"]),
        ])
    func matches(text: String, these: [String], notThose: [String]) throws {
        let pattern = try InterfacePattern(text)
        for name in these { #expect(pattern.matches(name), "\(name)") }
        for name in notThose { #expect(!pattern.matches(name), "\(name)") }
    }

    @Test(
        "a name that the kernel would refuse is refused",
        arguments: [
            ("", .empty), ("1234567890123456", .tooLong(limit: 15)), ("a/b", .slash), ("a:b", .colon),
            ("a b", .whiteSpace),
            ("a\tb", .whiteSpace), ("a\n", .whiteSpace), (".", .dots), ("..", .dots), ("a\0b", .whiteSpace),
            ("wl/*", .slash), ("éééééééé", .tooLong(limit: 15)),
            ("wl*" + String(repeating: "x", count: 62), .tooLong(limit: 64)),
        ] as [(String, InterfacePattern.Problem)])
    func refuses(text: String, problem: InterfacePattern.Problem) {
        #expect(throws: problem) { try InterfacePattern(text) }
    }

    @Test(
        "a name that the kernel would accept is accepted",
        arguments: ["w", "123456789012345", "...", "-", "wlan0.5", "é"])
    func takes(text: String) throws {
        #expect(try InterfacePattern(text).text == text)
    }

    @Test("a glob built for endless backtracking is matched quickly")
    func hostileGlob() throws {
        let pattern = try InterfacePattern(String(repeating: "*a", count: 31) + "b")
        #expect(!pattern.matches(String(repeating: "a", count: 10_000)))
    }

    @Test(
        "a hardware address is read from six hexadecimal pairs, and any other form is refused",
        arguments: [
            ("02:00:00:00:00:0a", [2, 0, 0, 0, 0, 10]), ("02-00-00-00-00-0A", [2, 0, 0, 0, 0, 10]), ("", nil),
            ("02:00:00:00:00", nil), ("02:00:00:00:00:0a:0b", nil), ("02:00:00:00:00:g0", nil),
            ("02:00:00:00:00:+1", nil), ("2:0:0:0:0:a", nil), ("02:00:00-00:00:0a", nil),
            ("٠٢:00:00:00:00:00", nil),
        ] as [(String, [UInt8]?)])
    func hardwareAddress(text: String, bytes: [UInt8]?) {
        #expect(MACAddress(text: text)?.bytes == bytes)
    }
}
