import Model

/// Observed behaviour of an owner that only the manual page mentions: the program's decisions do not depend
/// on it. The observed versions are those in ``OwnerQuirks``.
struct OwnerObservation {
    /// What the owner does after an rfkill unblock if no other program raises the link. (With `Method.rfkill`
    /// the program itself raises the link.)
    var afterUnblock: AfterUnblock?
    /// What the owner restores after a bounce.
    var restores: String
    /// What the owner or other programs lose in a bounce.
    var forgets: String
    /// The command by which a user makes the owner repair the link without a bounce; nil: none is known.
    var asking: String?

    /// What an owner does with a radio after an unblock.
    enum AfterUnblock {
        /// The owner raises the link.
        case comesBack
        /// The owner raises the link, except if the unblock follows the block at once.
        case mayStick
        /// The link stays down.
        case staysDown
    }
}

extension Owner {
    /// What was observed of this owner. The entry of wpa_supplicant is about a link with static addresses.
    var observation: OwnerObservation {
        switch self {
        case .networkManager:
            OwnerObservation(
                afterUnblock: .mayStick,
                restores: "its addresses and routes, including those that the profile sets",
                forgets: "routes that others added; it also deletes addresses that others added",
                asking: "nmcli device reapply INTERFACE")
        case .networkd:
            OwnerObservation(
                afterUnblock: .staysDown, restores: "its addresses and routes",
                forgets: "routes that others added", asking: "networkctl reconfigure INTERFACE")
        case .connman:
            OwnerObservation(
                afterUnblock: .comesBack, restores: "its address",
                forgets:
                    "routes that others added; in more than half of all bounces, its own default route"
                    + " (with ConnMan 1.44, in nearly all bounces); and the order of addresses (its own"
                    + " address comes after addresses that others added, so the kernel may use one of these"
                    + " as the source of packets)",
                asking: "connmanctl disconnect SERVICE, then connect SERVICE")
        case .iwd:
            OwnerObservation(
                afterUnblock: .comesBack,
                restores: "its addresses and routes, if it is set to EnableNetworkConfiguration=true",
                forgets:
                    "routes that others added; the state after a user's disconnect (iwd connects the"
                    + " station again); and the order of addresses (its own address comes after addresses"
                    + " that others added, so the kernel may use one of these as the source of packets)",
                asking: "iwctl station INTERFACE disconnect, then connect NETWORK")
        case .supplicant:
            OwnerObservation(
                afterUnblock: .staysDown, restores: "the association alone",
                forgets: "routes, IPv6 addresses and neighbours set by hand",
                asking: "wpa_cli -i INTERFACE reassociate")
        case .dhclient:
            OwnerObservation(
                restores: "nothing; the kernel keeps the IPv4 address", forgets: "its default route",
                asking: "run dhclient INTERFACE again")
        case .dhcpcd:
            OwnerObservation(
                restores: "its addresses and routes", forgets: "no loss was observed",
                asking: "dhcpcd -n INTERFACE")
        case .udhcpc: OwnerObservation(restores: "not observed", forgets: "not observed")
        case .ifupdown:
            OwnerObservation(
                restores: "nothing: it is not a running program",
                forgets: "routes and IPv6 addresses that it set up")
        case .resolved: OwnerObservation(restores: "nothing", forgets: "nothing")
        }
    }
}
