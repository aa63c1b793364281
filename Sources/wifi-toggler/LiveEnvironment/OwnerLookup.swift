import Glibc
import Model
import Netlink
import Owners
import Platform
import Reporting
import Service

/// Finds the owners of this machine's interfaces.
struct OwnerLookup {
    /// The last search, and when it was made. Many interfaces may appear at once, and the list of processes
    /// is the same for all.
    private static var recent: (search: OwnerDetector, at: Int64)?
    /// How long a search may be reused, in nanoseconds.
    private static let freshness: Int64 = 1_000_000_000

    private var search: OwnerDetector {
        let now = BootClock.now()
        if let recent = Self.recent, now - recent.at < Self.freshness { return recent.search }
        let search = OwnerDetector()
        Self.recent = (search, now)
        return search
    }

    func ownership(of link: Link, isWireless: Bool) -> Ownership {
        search.ownership(of: link.name, index: link.index.rawValue, isWireless: isWireless)
    }

    /// The owners of an interface of any type.
    func ownership(of interfaceRef: InterfaceRef) -> Ownership {
        ownership(of: interfaceRef, isWireless: Self.isWireless(interfaceRef))
    }

    /// The owners of an interface.
    /// - Parameter isWireless: false for a wired interface, which needs no program that associates it.
    func ownership(of interfaceRef: InterfaceRef, isWireless: Bool) -> Ownership {
        search.ownership(of: interfaceRef.name, index: interfaceRef.index.rawValue, isWireless: isWireless)
    }

    /// Finds the owners that are to be asked why the interface is at fault (`OwnerConditionQuery`). A missing
    /// address owner counts only if the interface lacks an address. `done` is called once, never inside this
    /// call.
    func ownership(
        of interfaceRef: InterfaceRef, asking netlink: NetlinkCommands,
        _ done: @escaping @MainActor (Ownership) -> Void
    ) {
        var ownership = ownership(of: interfaceRef)
        // The address layer does not depend on the radio's block, so any value is right here.
        netlink.kernelState(
            interfaceRef.index, radio: { _ in .none },
            { result in
                let kernelState = try? result.get()
                ownership.network.isNeeded = kernelState?.fault?.layer == .address
                done(ownership)
            })
    }

    static func isWireless(_ interfaceRef: InterfaceRef) -> Bool { isWireless(interfaceRef.name) }

    nonisolated static func isWireless(_ interface: String) -> Bool {
        access("/sys/class/net/\(interface)/phy80211", F_OK) == 0
    }
}
