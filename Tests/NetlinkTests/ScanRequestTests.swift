import CNetlink
import Dispatch
import Glibc
import Model
import Platform
import Testing

@testable import Netlink

/// Requests for scans, and announcements of them.
@Suite("Directed scans") struct ScanRequestTests {
    private static let wlan = InterfaceIndex(rawValue: 3)
    private static let family: UInt16 = 0x1c
    private static let accessPoint = AccessPoint(
        bssid: MACAddress([2, 0, 0, 0, 0, 0])!, ssid: SSID("lab".utf8), frequency: 2412)

    /// The bytes after struct nlmsghdr.
    private static func payload(_ request: Request) throws -> [UInt8] {
        Array(try #require(request.bytes(sequence: 1)).dropFirst(16))
    }

    @Test("the request scans one frequency for one network name")
    func begin() throws {
        let request = ScanRequest.begin(for: Self.accessPoint, on: Self.wlan, family: Self.family)
        #expect(
            try Self.payload(request) == [
                0x21, 0x00, 0x00, 0x00,  // cmd NL80211_CMD_TRIGGER_SCAN
                0x08, 0x00, 0x03, 0x00,  // nla_len 8, NL80211_ATTR_IFINDEX
                0x03, 0x00, 0x00, 0x00,  // 3
                0x0c, 0x00, 0x2c, 0x80,  // nla_len 12, NL80211_ATTR_SCAN_FREQUENCIES, nested
                0x08, 0x00, 0x01, 0x00,  // nla_len 8, the first
                0x6c, 0x09, 0x00, 0x00,  // 2412 MHz
                0x0c, 0x00, 0x2d, 0x80,  // nla_len 12, NL80211_ATTR_SCAN_SSIDS, nested
                0x07, 0x00, 0x01, 0x00,  // nla_len 7, the first
                0x6c, 0x61, 0x62, 0x00,  // "lab", padding
            ])
    }

    @Test("the abort request names the interface")
    func abort() throws {
        let request = ScanRequest.abort(on: Self.wlan, family: Self.family)
        #expect(
            try Self.payload(request) == [
                0x72, 0x00, 0x00, 0x00,  // cmd NL80211_CMD_ABORT_SCAN
                0x08, 0x00, 0x03, 0x00, 0x03, 0x00, 0x00, 0x00,
            ])
    }

    /// The kernel's announcement of a scan that wpa_supplicant requests for NetworkManager.
    private static let announced: [UInt8] = [
        0x21, 0x01, 0x00, 0x00,  // cmd NL80211_CMD_TRIGGER_SCAN, version 1, reserved
        0x08, 0x00, 0x03, 0x00,  // nla_len 8, NL80211_ATTR_IFINDEX
        0x03, 0x00, 0x00, 0x00,  // 3
        0x10, 0x00, 0x2d, 0x00,  // nla_len 16, NL80211_ATTR_SCAN_SSIDS
        0x07, 0x00, 0x00, 0x00,  // nla_len 7
        0x6c, 0x61, 0x62, 0x00,  // "lab", padding
        0x04, 0x00, 0x01, 0x00,  // nla_len 4: for all
        0x14, 0x00, 0x2c, 0x00,  // nla_len 20, NL80211_ATTR_SCAN_FREQUENCIES
        0x08, 0x00, 0x00, 0x00,  // nla_len 8
        0x6c, 0x09, 0x00, 0x00,  // 2412 MHz
        0x08, 0x00, 0x01, 0x00,  // nla_len 8
        0x71, 0x09, 0x00, 0x00,  // 2417 MHz
    ]

    @Test("a scan's start is reported with its frequencies and network names")
    func begun() {
        let scan = Scan(frequencies: [2412, 2417], names: [SSID("lab".utf8)])
        #expect(WirelessEvent.parse(Self.announced[...]) == .scanBegun(Self.wlan, scan))
        #expect(WirelessEvent.parse(Self.announced[..<12]) == .scanBegun(Self.wlan, Scan(frequencies: [])))
        // A frequency attribute of another size is ignored, and so is a name that is too long.
        var odd = Self.announced
        odd[32] = 6
        #expect(
            WirelessEvent.parse(odd[...])
                == .scanBegun(Self.wlan, Scan(frequencies: [2417], names: scan.names)))
    }

    // MARK: Aborting

    /// - Parameters:
    ///   - duration: how long ago the directed scan was requested.
    ///   - scan: the kernel's scan results.
    ///   - code: the kernel's answer to the abort request; ENOENT: no scan is under way.
    /// - Returns: how long ago the access point was heard (nil: not aborted), and the commands sent.
    private static func cut(
        _ accessPoint: AccessPoint = accessPoint, calledAgo duration: Duration = .seconds(25),
        scan: [[UInt8]] = [Samples.scan], code: Int32 = 0
    ) -> (heard: Duration?, commands: [UInt8]) {
        let kernel = ScriptedKernel { request, _ in
            guard request.payload.first == 0x20 else { return [.success(request.acknowledgement(code))] }
            return scan.map {
                .success(Samples.message(type: request.type, sequence: request.sequence, $0))
            } + [.success(request.done())]
        }
        let family = FamilyNumber()
        family.value = Self.family
        var conversation = Conversation(
            route: kernel.transport, generic: kernel.transport, wirelessFamily: family, sequence: 0,
            deadline: .now() + .seconds(60))
        let called = Instant(nanoseconds: BootClock.now()) + (.zero - duration)
        let heard = try? conversation.abortScan(for: accessPoint, heardSince: called, on: wlan)
        return (heard, kernel.requests.map { $0[16] })
    }

    @Test("a scan is aborted if the kernel has heard the access point; how long ago is returned")
    func cut() {
        let (heard, commands) = Self.cut()
        #expect(heard == .milliseconds(1500))
        #expect(commands == [0x20, 0x72])
        #expect(Self.cut(calledAgo: .milliseconds(1500)).heard != nil)
    }

    @Test(
        "a scan goes on if the access point was heard too long ago, on another frequency or not at all"
    )
    func leftAlone() {
        var (moved, renamed, other) = (Self.accessPoint, Self.accessPoint, Self.accessPoint)
        moved.frequency = 2417
        renamed.ssid = SSID("lap".utf8)
        other.bssid = MACAddress([2, 0, 0, 0, 0, 1])!
        for accessPoint in [moved, renamed, other] {
            let (heard, commands) = Self.cut(accessPoint)
            #expect(heard == nil && commands == [0x20], "\(accessPoint)")
        }
        for (heard, commands) in [
            Self.cut(calledAgo: .seconds(1)), Self.cut(scan: []),
            Self.cut(scan: [Array(Samples.scan[..<48])]),
        ] {
            #expect(heard == nil && commands == [0x20])
        }
    }

    @Test("if no scan runs, or the driver cannot abort, no abort is reported")
    func refused() {
        for code in [ENOENT, EOPNOTSUPP] { #expect(Self.cut(code: code).heard == nil) }
    }
}
