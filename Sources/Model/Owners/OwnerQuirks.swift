/// The known behaviour of an owner: the only table, from which the manual page is generated too.
///
/// Observed with the real programs of Debian 12 on a simulated radio (kernel 6.1; NetworkManager 1.42, iwd
/// 2.3, ConnMan 1.41, systemd 252, dhclient 4.4.3, dhcpcd 9.4, wpa_supplicant 2.10). What was not observed is
/// nil.
public struct OwnerQuirks: Hashable, Sendable {
    /// The longest time down after which it still restores the link by itself; nil: no time was found to be
    /// too long.
    public var longestHold: Duration?
    /// From the raise to the first answer of the gateway, the slowest observed. An owner that scans for the
    /// network itself had to find its frequency; one that leaves this to another program was tested with an
    /// association that took a third of a second. nil: not observed.
    public var recovery: Duration?
    /// How long it may take, from when the link is operational, to restore its own configuration, with a
    /// margin for slow networks; nil: it restores nothing, or that is not known.
    public var timeout: Duration?
    /// Whether it restores its default routes with its addresses; if not, they are not awaited.
    public var bringsDefaultRoutes = true
    /// The state of an unblocked radio if no other program raises its link. `Method.rfkill` does.
    public var afterUnblock: AfterUnblock?
    /// The effect on a bounce if its scan for the network is aborted; nil: it does not scan.
    public var scan: ScanAfterBounce?
    /// What it restores after a bounce, for people.
    public var restores: String
    /// What it or others lose in a bounce, for people.
    public var forgets: String
    /// The command that repairs the link without a bounce; nil: none is known.
    public var asking: String?
    /// How ``Method/owner`` asks it; nil: every way might leave the link without a connection.
    public var request: OwnerRequest?

    /// What an owner does with a radio after an unblock.
    public enum AfterUnblock: Hashable, Sendable, CaseIterable {
        case comesBack
        /// Not if the unblock follows at once.
        case mayStick
        case staysDown
    }

    /// How the owner of a station searches for its network after a bounce.
    public enum ScanAfterBounce: Hashable, Sendable {
        /// It scans all channels, and if the scan is aborted it connects at once from the kernel's scan
        /// results. `recovery` is the slowest time observed from the raise to the gateway's answer.
        case mayBeCut(recovery: Duration)
        /// If its scan is aborted, it may take longer than with a complete one. iwd knows where to search,
        /// and always takes five seconds longer; ConnMan took 7.8 seconds instead of four once in 69 bounces.
        case leftAlone

        var isHelped: Bool {
            switch self {
            case .mayBeCut: true
            case .leftAlone: false
            }
        }
    }
}

extension Owner {
    /// For the owner of addresses and routes; wpa_supplicant has none and stands for a static configuration.
    public var quirks: OwnerQuirks {
        switch self {
        case .networkManager:
            OwnerQuirks(
                // NetworkManager gives a lost link 15 s, and an association with a full scan takes up to ten
                // of them.
                longestHold: .seconds(5), recovery: .milliseconds(6300), timeout: .seconds(15),
                afterUnblock: .mayStick, scan: .mayBeCut(recovery: .milliseconds(1400)),
                restores: "its addresses and routes, those of the profile too",
                forgets: "routes of others; it also deletes their addresses",
                asking: "nmcli device reapply INTERFACE", request: .activation)
        case .networkd:
            OwnerQuirks(
                recovery: .seconds(1), timeout: .seconds(10), afterUnblock: .staysDown,
                restores: "its addresses and routes",
                forgets: "routes of others", asking: "networkctl reconfigure INTERFACE",
                request: .reconfiguration)
        case .connman:
            OwnerQuirks(
                recovery: .seconds(6), timeout: .seconds(10), bringsDefaultRoutes: false,
                afterUnblock: .comesBack, scan: .leftAlone, restores: "the address",
                forgets:
                    "routes of others, its own default route in more than half of all bounces; its address comes"
                    + " after those of others, which packets may then use as their source",
                asking: "connmanctl disconnect SERVICE, then connect SERVICE")
        case .iwd:
            OwnerQuirks(
                recovery: .milliseconds(2700), timeout: .seconds(10), afterUnblock: .comesBack,
                scan: .leftAlone,
                restores: "its addresses and routes with EnableNetworkConfiguration=true",
                forgets:
                    "routes of others; its address comes after those of others, which packets may then use as"
                    + " their source; a user's disconnect: it connects again",
                asking: "iwctl station INTERFACE disconnect, then connect NETWORK")
        case .supplicant:
            OwnerQuirks(
                recovery: .milliseconds(5500), afterUnblock: .staysDown,
                scan: .mayBeCut(recovery: .milliseconds(1400)), restores: "the association alone",
                forgets: "routes, IPv6 addresses and neighbours set by hand",
                asking: "wpa_cli -i INTERFACE reassociate", request: .reassociation)
        case .dhclient:
            OwnerQuirks(
                recovery: .milliseconds(1800), restores: "nothing; the IPv4 address is kept",
                forgets: "its default route",
                asking: "dhclient INTERFACE, run again")
        case .dhcpcd:
            OwnerQuirks(
                recovery: .milliseconds(8900), timeout: .seconds(15), restores: "its addresses and routes",
                forgets: "nothing, as far as observed", asking: "dhcpcd -n INTERFACE")
        case .udhcpc:
            OwnerQuirks(restores: "not observed", forgets: "not observed")
        case .ifupdown:
            OwnerQuirks(
                recovery: .milliseconds(1400), restores: "nothing: it is not a running program",
                forgets: "routes and IPv6 addresses that it set up")
        }
    }
}
