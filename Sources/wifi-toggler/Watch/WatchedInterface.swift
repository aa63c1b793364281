import Invocation
import Model
import Platform
import Reporting
import Service
import Toggling

/// An interface that the service watches. A class, because a dictionary of values keeps room for as many
/// again.
final class WatchedInterface {
    var interfaceRef: InterfaceRef
    /// Sections of the configuration may name it by these.
    var addresses: [MACAddress]
    /// Its current settings.
    var settings: Settings
    /// See `Link.identity`: as it was when the interface appeared.
    var identity: MACAddress?
    var isPresent: Bool
    /// Of what it is a port, as last announced: what happens to the addresses there concerns it.
    var master: InterfaceIndex?
    /// nil: a dry run.
    var lock: InterfaceLock?
    /// Its state so far, for queries.
    var interfaceStatus: InterfaceStatus
    /// The first check is over, or there is nothing to check.
    var isSeen = false
    var isOwnerTold = false

    init(
        _ link: Link, _ interfaceRef: InterfaceRef, _ settings: Settings, lock: InterfaceLock?,
        isPresent: Bool
    ) {
        self.interfaceRef = interfaceRef
        addresses = Request.addresses(of: link)
        self.settings = settings
        identity = link.identity
        master = link.port?.master
        self.isPresent = isPresent
        self.lock = lock
        interfaceStatus = InterfaceStatus(at: Instant(nanoseconds: BootClock.now()))
    }

    var id: Int { interfaceRef.id }
    var name: String { interfaceRef.name }

    /// Whether it is the same hardware.
    func isMadeOf(_ link: Link) -> Bool { identity != nil && identity == link.identity }
}

/// All interfaces that the service watches, present or absent.
final class WatchedInterfaces {
    private var byID: [Int: WatchedInterface] = [:]
    private var nextID = 1

    subscript(id: Int) -> WatchedInterface? { byID[id] }
    subscript(interfaceRef: InterfaceRef) -> WatchedInterface? { byID[interfaceRef.id] }

    var count: Int { byID.count }
    var isEmpty: Bool { byID.isEmpty }
    /// In the order in which they were added.
    var all: [WatchedInterface] { byID.values.sorted { $0.id < $1.id } }
    var byName: [WatchedInterface] { byID.values.sorted { $0.name < $1.name } }

    /// The number of the next interface.
    func newID() -> Int {
        defer { nextID += 1 }
        return nextID
    }

    func add(_ watched: WatchedInterface) { byID[watched.id] = watched }
    func remove(_ interfaceRef: InterfaceRef) { byID[interfaceRef.id] = nil }

    func present(at index: InterfaceIndex) -> WatchedInterface? {
        byID.values.first { $0.isPresent && $0.interfaceRef.index == index }
    }

    /// Those that are ports of this interface.
    func ports(of index: InterfaceIndex) -> [WatchedInterface] {
        byID.values.filter { $0.isPresent && $0.master == index }
    }

    func present(named name: String) -> WatchedInterface? {
        byID.values.first { $0.isPresent && $0.name == name }
    }

    /// An absent one that has this link's name or hardware.
    func absent(like link: Link) -> WatchedInterface? {
        byID.values.first { !$0.isPresent && ($0.name == link.name || $0.isMadeOf(link)) }
    }
}
