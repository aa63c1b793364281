import Glibc
import Model
import Owners
import Platform
import Recovery
import Reporting
import Service
import Toggling

/// Finds the owners of this machine's interfaces.
struct OwnerLookup {
    /// Many interfaces may appear at once, and the list of processes is the same for all.
    private static var recent: (search: OwnerDetector, at: Int64)?
    /// How long the list of processes may be reused, in nanoseconds.
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

    /// For an interface of any type.
    func ownership(of interfaceRef: InterfaceRef) -> Ownership {
        ownership(of: interfaceRef, isWireless: Self.isWireless(interfaceRef))
    }

    /// - Parameter isWireless: a wired interface has no program that associates it.
    func ownership(of interfaceRef: InterfaceRef, isWireless: Bool) -> Ownership {
        search.ownership(of: interfaceRef.name, index: interfaceRef.index.rawValue, isWireless: isWireless)
    }

    /// Whether the owner of an interface will not connect it by itself.
    /// - Parameter done: called once; nil: it will, or that is not known.
    func condition(on index: InterfaceIndex, _ done: @escaping @MainActor (OwnerCondition?) -> Void) {
        guard let name = Self.name(of: index) else { return done(nil) }
        let interfaceRef = InterfaceRef(id: 0, index: index, name: name)
        OwnerConditionQuery().ask(name, ownership(of: interfaceRef), done)
    }

    /// if_indextoname(3); nil: there is no such interface.
    private static func name(of index: InterfaceIndex) -> String? {
        var bytes = [CChar](repeating: 0, count: Int(IF_NAMESIZE))
        guard if_indextoname(UInt32(bitPattern: index.rawValue), &bytes) != nil else { return nil }
        return String(validating: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    static func isWireless(_ interfaceRef: InterfaceRef) -> Bool {
        access("/sys/class/net/\(interfaceRef.name)/phy80211", F_OK) == 0
    }
}
