import Invocation
import Model
import Platform
import Reporting
import Service
import Toggling

/// An interface that the service watches. A class, because a dictionary of such large values would reserve memory
/// for twice as many.
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
    /// Why the machine was rebooted for it, until what came of that is told; nil: it was not.
    var rebootCause: RecordedVerdict?

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
    /// Of every link, as last announced: any may be the master of one that is watched.
    private var appearances: [InterfaceIndex: Link.Appearance] = [:]
    /// The most masters that are followed: the kernel stacks no more than eight interfaces.
    private static let mostMasters = 8

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

    /// - Returns: what the link looked like before; nil: not known.
    func note(_ link: Link) -> Link.Appearance? {
        appearances.updateValue(link.appearance, forKey: link.index)
    }

    /// The link is gone.
    func forget(_ index: InterfaceIndex) { appearances[index] = nil }

    /// Those that are ports of this interface, or of its ports.
    func ports(of index: InterfaceIndex) -> [WatchedInterface] {
        byID.values.filter { $0.isPresent && isPort($0, of: index) }
    }

    private func isPort(_ watched: WatchedInterface, of index: InterfaceIndex) -> Bool {
        var master = watched.master
        for _ in 0..<Self.mostMasters {
            guard let above = master else { return false }
            if above == index { return true }
            master = appearances[above]?.master
        }
        return false
    }

    func present(named name: String) -> WatchedInterface? {
        byID.values.first { $0.isPresent && $0.name == name }
    }

    /// An absent one that has this link's name or hardware.
    func absent(like link: Link) -> WatchedInterface? {
        byID.values.first { !$0.isPresent && ($0.name == link.name || $0.isMadeOf(link)) }
    }
}
