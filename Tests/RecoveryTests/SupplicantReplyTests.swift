import Model
import Testing

@testable import Recovery

@Suite("What wpa_supplicant says") struct SupplicantReplyTests {
    @Test(
        "an answer is what it says, with or without the line's end",
        arguments: [
            ("OK\n", SupplicantReply.okay), ("OK", .okay), ("FAIL\n", .refused("FAIL")),
            ("FAIL-BUSY\n", .refused("FAIL-BUSY")), ("UNKNOWN COMMAND\n", .refused("UNKNOWN COMMAND")),
            ("<3>CTRL-EVENT-SCAN-STARTED ", .event), ("IFNAME=wlan0 <3>CTRL-EVENT", .event),
            ("OK?\n", .text("OK?\n")), ("", .text("")),
            ("wpa_state=COMPLETED\n", .text("wpa_state=COMPLETED\n")),
        ])
    func read(_ text: String, _ answer: SupplicantReply) {
        #expect(SupplicantReply(Array(text.utf8)) == answer)
    }

    @Test("what is no text, or longer than an answer can be, is not read")
    func unreadable() {
        #expect(SupplicantReply([0xff, 0xfe]) == .unreadable)
        #expect(
            SupplicantReply([UInt8](repeating: 0x41, count: SupplicantReply.longest + 1)) == .unreadable)
    }

    @Test(
        "a supplicant that has a network or looks for one may associate anew",
        arguments: ["SCANNING", "ASSOCIATING", "4WAY_HANDSHAKE", "COMPLETED"])
    func joining(_ state: String) {
        let status = SupplicantReply.text(
            "bssid=02:00:00:00:00:01\nwpa_state=\(state)\nip_address=10.0.0.2\n")
        #expect(status.reasonNotToReassociate == nil)
    }

    @Test(
        "one that somebody told to leave the link alone is left alone",
        arguments: ["DISCONNECTED", "INACTIVE", "INTERFACE_DISABLED"])
    func idle(_ state: String) {
        let failure = SupplicantReply.text("wpa_state=\(state)\nssid=x\n").reasonNotToReassociate
        #expect(failure?.kind == .other && failure?.description.contains(state) == true)
    }

    @Test(
        "a status without a state, or with one that nobody knows, is nonsense",
        arguments: [
            "", "ssid=wpa_state=COMPLETED\n", "wpa_state=COMPLETED\r\n", "wpa_state=\u{1b}[2J", "wpa_state",
        ])
    func nonsense(_ text: String) {
        #expect(SupplicantReply.text(text).reasonNotToReassociate == .nonsense)
    }
}
