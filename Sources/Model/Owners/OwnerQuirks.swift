/// What is known of an owner: the one table, which the manual page is made from too.
///
/// Seen with the real programs of Debian 12 on a simulated radio (kernel 6.1; NetworkManager 1.42, iwd 2.3,
/// ConnMan 1.41, systemd 252, dhclient 4.4.3, dhcpcd 9.4, wpa_supplicant 2.10). What was not seen is nil.
public struct OwnerQuirks: Hashable, Sendable {
    /// The longest hold after which it still counts the link as its own and takes it back by itself; nil: none was
    /// found that was too long.
    public var longestHold: Duration?
    /// From the raise to the first answer of the gateway, the slowest that was seen. Who looks for the network itself has
    /// had to find its frequency; who leaves that to another stood behind an association that took a third of a second.
    /// nil: not seen.
    public var recovery: Duration?
    /// How long after the link is operational it may need until all that it brings back by itself is there, with
    /// room for a slow network; nil: it brings nothing, or nobody knows.
    public var timeout: Duration?
    /// Whether its default routes come back with its addresses; if not, nothing waits for them.
    public var bringsDefaultRoutes: Bool
    /// What an unblocked radio is without somebody who raises its link. `Method.rfkill` does.
    public var afterUnblock: AfterUnblock?
    /// What becomes of a bounce where its scan for the network is cut short; nil: it has no say in scans.
    public var scan: ScanAfterBounce?
    /// Of its own after a bounce, for people.
    public var restores: String
    /// Of its own or of others after a bounce, for people.
    public var forgets: String
    /// What repairs it without a bounce, in its own words; nil: nothing is known.
    public var asking: String?
    /// How ``Method/owner`` asks it; nil: there is no way that could not leave the link without a connection.
    public var request: OwnerRequest?

    /// What an owner makes of a radio that was blocked and is no longer.
    public enum AfterUnblock: Hashable, Sendable, CaseIterable {
        case comesBack
        /// Not where the unblock follows at once.
        case mayStick
        case staysDown
    }

    /// How the owner of a station looks for its network after a bounce.
    public enum ScanAfterBounce: Hashable, Sendable {
        /// It scans all channels, and where that is cut short it connects at once from what the kernel knows: so long after
        /// the raise the gateway answered, the slowest that was seen.
        case mayBeCut(recovery: Duration)
        /// Where its scan is cut short it may be back later than after a whole one: iwd knows where to look, and always takes
        /// five seconds longer; ConnMan once in 69 bounces, when it took 7.8 seconds instead of four.
        case leftAlone

        var isHelped: Bool {
            switch self {
            case .mayBeCut: true
            case .leftAlone: false
            }
        }
    }

    package init(
        longestHold: Duration? = nil, recovery: Duration? = nil, timeout: Duration? = nil,
        bringsDefaultRoutes: Bool = true, afterUnblock: AfterUnblock? = nil,
        scan: ScanAfterBounce? = nil, restores: String, forgets: String, asking: String? = nil,
        request: OwnerRequest? = nil
    ) {
        self.longestHold = longestHold
        self.recovery = recovery
        self.timeout = timeout
        self.bringsDefaultRoutes = bringsDefaultRoutes
        self.afterUnblock = afterUnblock
        self.scan = scan
        self.restores = restores
        self.forgets = forgets
        self.asking = asking
        self.request = request
    }
}

extension Owner {
    /// As the owner of addresses and routes; wpa_supplicant has none and stands for a static configuration.
    public var quirks: OwnerQuirks {
        switch self {
        case .networkManager:
            OwnerQuirks(
                // It gives a lost link 15 s, and an association with a full scan takes up to ten of them.
                longestHold: .seconds(5), recovery: .milliseconds(6300), timeout: .seconds(15),
                afterUnblock: .mayStick, scan: .mayBeCut(recovery: .milliseconds(1400)),
                restores: "its addresses and routes, those of the profile too",
                forgets: "routes of others; it deletes their addresses",
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
                    "routes of others, its own default route in more than half of all bounces; that its address"
                    + " stood before those of others, so that packets may leave with theirs",
                asking: "connmanctl disconnect SERVICE, then connect SERVICE")
        case .iwd:
            OwnerQuirks(
                recovery: .milliseconds(2700), timeout: .seconds(10), afterUnblock: .comesBack,
                scan: .leftAlone,
                restores: "its addresses and routes with EnableNetworkConfiguration=true",
                forgets:
                    "routes of others; that its address stood before those of others, so that packets may leave"
                    + " with theirs; a person's own disconnect: it connects again",
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
                forgets: "nothing that was seen", asking: "dhcpcd -n INTERFACE")
        case .udhcpc:
            OwnerQuirks(restores: "not seen", forgets: "not seen")
        case .ifupdown:
            OwnerQuirks(
                recovery: .milliseconds(1400), restores: "nothing: it is no running program",
                forgets: "routes and IPv6 addresses that it set up")
        }
    }
}
