import Glibc
import Owners
import Platform
import Service
import Toggling

/// Who manages the interfaces of this machine at this moment.
struct OwnerKeeper {
    /// Many interfaces may appear at once, and the processes of the machine are the same for all.
    private static var recent: (search: OwnerSearch, at: Int64)?
    /// So long a look at them counts, in nanoseconds.
    private static let freshness: Int64 = 1_000_000_000

    private var search: OwnerSearch {
        let now = BootClock.now()
        if let recent = Self.recent, now - recent.at < Self.freshness { return recent.search }
        let search = OwnerSearch()
        Self.recent = (search, now)
        return search
    }

    func ownership(of link: Link, isWireless: Bool) -> Ownership {
        search.ownership(of: link.name, index: link.index.rawValue, isWireless: isWireless)
    }

    /// Of whatever kind it is.
    func ownership(of subject: Subject) -> Ownership {
        ownership(of: subject, isWireless: Self.isWireless(subject))
    }

    /// - Parameter isWireless: a wire has nobody who associates it.
    func ownership(of subject: Subject, isWireless: Bool) -> Ownership {
        search.ownership(of: subject.name, index: subject.index.rawValue, isWireless: isWireless)
    }

    static func isWireless(_ subject: Subject) -> Bool {
        access("/sys/class/net/\(subject.name)/phy80211", F_OK) == 0
    }
}
