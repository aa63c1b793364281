/// The known behaviour of an owner, on which decisions of this program depend. A part of the manual page is
/// generated from it too.
///
/// The values were observed with the real programs of Debian 12 on a simulated radio (kernel 6.1;
/// NetworkManager 1.42, iwd 2.3, ConnMan 1.41, systemd 252, dhclient 4.4.3, dhcpcd 9.4, wpa_supplicant 2.10).
/// The programs of Debian 13 (kernel 6.12; NetworkManager 1.52, iwd 3.8, ConnMan 1.44, systemd 257, dhcpcd
/// 10.1) passed the tests that Tests/WiFiLab/README.md lists for them; `recoveries` has their times. Where a
/// text of the manual page names a version, that version behaves differently. The versions of sid are left
/// out, because they change. A value that was not observed is nil.
public struct OwnerQuirks: Hashable, Sendable {
    /// The longest time down after which the owner still restores the link by itself; nil: no time was found
    /// to be too long.
    public var longestDownTime: Duration?
    /// The slowest times observed from the raise to the first answer of the gateway, the oldest version first;
    /// empty: not observed. In the tests on Debian 12, an owner that scans for the network itself also had to
    /// find its frequency. For an owner that leaves the scan to another program, the association took a third
    /// of a second.
    public var recoveries: [Recovery] = []
    /// How long the owner may take to restore its own configuration, counted from when the link is
    /// operational, with a margin for slow networks; nil: the owner restores nothing, or its time is not
    /// known.
    public var timeout: Duration?
    /// Whether the owner restores its default routes together with its addresses. If it does not, the program
    /// does not wait for them.
    public var bringsDefaultRoutes = true
    /// Whether the owner may not notice a bounce, and then does not restore the IPv4 routes that the kernel has
    /// removed, although it keeps its addresses.
    public var mayMissBounce = false
    /// What happens after a bounce if the owner's scan for the network is aborted; nil: the owner does not
    /// scan.
    public var scan: ScanAfterBounce?
    /// The request that ``Method/owner`` sends to the owner; nil: every known request might leave the link
    /// without a connection, or would repair nothing.
    public var request: OwnerRequest?

    /// The slowest of `recoveries`; nil: not observed.
    public var recovery: Duration? { recoveries.map(\.time).max() }

    /// How long a version of the owner took to bring the network back.
    public struct Recovery: Hashable, Sendable {
        /// The version as the program itself gives it, such as `1.42`; for systemd-networkd, that of systemd.
        public var version: String
        public var time: Duration

        public init(_ version: String, _ time: Duration) {
            self.version = version
            self.time = time
        }
    }

    /// How the owner of a station searches for its network after a bounce.
    public enum ScanAfterBounce: Hashable, Sendable {
        /// The owner scans all channels. If the scan is aborted, the owner connects at once from the kernel's
        /// scan results. `recovery` is the slowest time observed from the raise to the gateway's answer.
        case mayBeAborted(recovery: Duration)
        /// If the owner's scan is aborted, the connection may take longer than with a complete scan. iwd,
        /// which knows on which frequency to search, then always takes 5 s longer. ConnMan took 7.8 s instead
        /// of 4 s in one of 69 bounces.
        case leftAlone

        var isHelped: Bool {
            switch self {
            case .mayBeAborted: true
            case .leftAlone: false
            }
        }
    }
}

extension Owner {
    /// The known behaviour of this program as an owner. The entry of wpa_supplicant describes a link with
    /// static addresses.
    public var quirks: OwnerQuirks {
        switch self {
        case .networkManager:
            // NetworkManager waits 15 s for a lost link to return. An association with a full scan takes up
            // to 10 s of that.
            OwnerQuirks(
                longestDownTime: .seconds(5),
                recoveries: [.init("1.42", .milliseconds(6300)), .init("1.52", .milliseconds(4700))],
                timeout: .seconds(15),
                scan: .mayBeAborted(recovery: .milliseconds(1400)), request: .activation)
        case .networkd:
            OwnerQuirks(
                recoveries: [.init("252", .milliseconds(1800)), .init("257", .milliseconds(1500))],
                timeout: .seconds(10), mayMissBounce: true, request: .reconfiguration)
        case .connman:
            OwnerQuirks(
                recoveries: [.init("1.41", .milliseconds(8400)), .init("1.44", .milliseconds(6600))],
                timeout: .seconds(10), bringsDefaultRoutes: false, scan: .leftAlone, request: .errorClearance)
        case .iwd:
            OwnerQuirks(
                recoveries: [.init("2.3", .milliseconds(2700)), .init("3.8", .seconds(2))],
                timeout: .seconds(10), scan: .leftAlone)
        case .supplicant:
            OwnerQuirks(
                recoveries: [.init("2.10", .milliseconds(5500))],
                scan: .mayBeAborted(recovery: .milliseconds(1400)),
                request: .reassociation)
        case .dhclient: OwnerQuirks(recoveries: [.init("4.4.3", .milliseconds(2100))])
        case .dhcpcd:
            OwnerQuirks(
                recoveries: [.init("9.4", .milliseconds(8900)), .init("10.1", .milliseconds(9900))],
                timeout: .seconds(15))
        case .ifupdown:
            OwnerQuirks(recoveries: [
                .init("0.8.41", .milliseconds(1400)), .init("0.8.44", .seconds(1)),
            ])
        case .udhcpc, .resolved: OwnerQuirks()
        }
    }
}
