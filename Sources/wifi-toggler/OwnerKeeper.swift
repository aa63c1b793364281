import Glibc
import Owners
import Service
import Toggling

/// Who manages the interfaces of this machine at this moment.
struct OwnerKeeper {
    private let search = OwnerSearch()

    func ownership(of name: String, _ index: InterfaceIndex) -> Ownership {
        // A wire has nobody who associates it.
        let isWireless = access("/sys/class/net/\(name)/phy80211", F_OK) == 0
        return search.ownership(of: name, index: index.rawValue, isWireless: isWireless)
    }

    func ownership(of subject: Subject) -> Ownership { ownership(of: subject.name, subject.index) }
}
