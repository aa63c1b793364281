import Testing

@testable import Platform

@Suite("The group file") struct GroupFileTests {
    @Test(
        "a group's number is read from its first valid line",
        arguments: [
            ("root:x:0:\nwifi-toggler:x:990:ann,bob\n", 990), ("wifi-toggler:x:990:", 990),
            ("wifi-toggler:x:1:\nwifi-toggler:x:2:\n", 1), ("x:x:7:wifi-toggler\n", nil), ("", nil),
            ("wifi-togglers:x:7:\n", nil), ("wifi-toggler\n", nil), ("wifi-toggler:x:7\n", nil),
            ("wifi-toggler:x::\n", nil), ("wifi-toggler:x:-1:\n", nil), ("wifi-toggler:x:4294967295:\n", nil),
            ("wifi-toggler:x:99999999999:\n", nil), ("a:x:1:\r\nwifi-toggler:x:990:\r\n", 990),
            ("\u{301}wifi-toggler:x:7:\n", nil), ("wifi-toggler:x: 7:\n", nil),
        ] as [(String, UInt32?)])
    func parse(text: String, number: UInt32?) {
        #expect(GroupFile.parse(Array(text.utf8), "wifi-toggler") == number)
    }

    @Test("a missing file has no groups")
    func absent() { #expect(GroupFile.number(of: "root", in: "/nonexistent") == nil) }
}
