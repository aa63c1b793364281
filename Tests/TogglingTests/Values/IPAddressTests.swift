import Glibc
import Testing

@testable import Model
@testable import Toggling

@Suite("Addresses") struct IPAddressTests {
    @Test("random IPv6 addresses are written as the C library writes them, and read back")
    func againstTheLibrary() {
        var random = SplitMix64(state: 42)
        for _ in 0..<5000 {
            // Many groups are zero, so that every way of shortening occurs. Addresses that inet_ntop(3) would
            // write with an IPv4 tail are skipped.
            let groups = (0..<8).map { _ in random.number(below: 3) == 0 ? UInt16(random.next() & 0xffff) : 0
            }
            if groups[..<6].allSatisfy({ $0 == 0 }) || groups[..<5].allSatisfy({ $0 == 0 }) { continue }
            let address = IPAddress.v6(groups.reduce(0) { $0 << 16 | UInt128($1) })
            var text = [CChar](repeating: 0, count: 64)
            _ = inet_ntop(AF_INET6, address.bytes, &text, 64)
            let expected = text.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
            #expect(address.description == expected)
            #expect(IPAddress(expected) == address)
        }
    }

    @Test(
        "text that the C library does not parse as an address is refused",
        arguments: [
            "", ".", ":", ":::", "1.2.3", "2.0.21.2::1", "192.0.2.1::192.0.2.1", "1.2.3.4.5", "256.1.1.1",
            "01.2.3.4", "1.2.3.4 ", "::1::", "1:2:3",
            "fe80::1%wlan0", "12345::", "1:2:3:4:5:6:7:8:9", "::g", "::1/64", "+1.2.3.4", "1:2:3:4:5:6:7:8::",
        ])
    func refused(text: String) { #expect(IPAddress(text) == nil) }

    @Test(
        "an IPv6 address with a dotted IPv4 part or a shortened run of zeros is parsed",
        arguments: [
            ("::ffff:10.0.0.1", "::ffff:a00:1"), ("FE80:0::1", "fe80::1"), ("1::", "1::"), ("::", "::"),
        ]
    )
    func accepted(text: String, canonical: String) {
        #expect(IPAddress(text)?.description == canonical)
    }

    @Test("bytes of an SSID that are not text are shown escaped")
    func networkNames() {
        #expect(SSID("caf\u{e9}".utf8).description == "caf\u{e9}")
        #expect(SSID([0x61, 0xff, 0x0a]).description == "a\\xff\\x0a")
        #expect(SSID("a\u{1b}[31m".utf8).description == "a\\x1b[31m")
    }
}
