import Invocation
import Model
import Platform
import Reporting
import Service
import Toggling

/// An interface that the service watches. This is a class, because a dictionary of such large values would
/// reserve memory for twice as many.
final class WatchedInterface {
    var interfaceRef: InterfaceRef
    /// The hardware addresses by which sections of the configuration may name the interface.
    var addresses: [MACAddress]
    /// The present settings of the interface.
    var settings: Settings
    /// The hardware address when the interface appeared (`Link.identity`).
    var identity: MACAddress?
    var isPresent: Bool
    /// The master of the interface, as last announced. Changes of the master's addresses concern this
    /// interface.
    var master: InterfaceIndex?
    /// The lock of the interface; nil in a dry run.
    var lock: InterfaceLock?
    /// The state of the interface, for queries.
    var interfaceStatus: InterfaceStatus
    /// Whether the first check is over or has begun a bounce, or there is nothing to check.
    var isSeen = false
    var isOwnerTold = false
    /// Why the machine was rebooted for this interface; nil if it was not, or after the result was reported.
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
        interfaceStatus = InterfaceStatus(at: .now)
    }

    var id: Int { interfaceRef.id }
    var name: String { interfaceRef.name }

    /// Whether a link has the same hardware address, so that it is this interface, whatever its name and
    /// index.
    func isSameHardware(as link: Link) -> Bool { identity != nil && identity == link.identity }
}

/// All interfaces that the service watches, whether they exist or not.
final class WatchedInterfaces {
    private var byID: [Int: WatchedInterface] = [:]
    private var nextID = 1
    /// The state of every link, as last announced. Any link may become the master of a watched one.
    private var appearances: [InterfaceIndex: Link.Appearance] = [:]
    /// The interface on which each VLAN is stacked.
    private var lowers: [InterfaceIndex: InterfaceIndex] = [:]
    /// The most masters that are followed upward, and VLANs downward. The kernel stacks at most eight
    /// interfaces.
    private static let mostMasters = 8

    subscript(interfaceRef: InterfaceRef) -> WatchedInterface? { byID[interfaceRef.id] }

    var count: Int { byID.count }
    var isEmpty: Bool { byID.isEmpty }
    /// The interfaces in the order in which they were added.
    var all: [WatchedInterface] { byID.values.sorted { $0.id < $1.id } }
    var byName: [WatchedInterface] { byID.values.sorted { $0.name < $1.name } }

    /// Returns a new ID for an interface.
    func newID() -> Int {
        defer { nextID += 1 }
        return nextID
    }

    func add(_ watched: WatchedInterface) { byID[watched.id] = watched }
    func remove(_ interfaceRef: InterfaceRef) { byID[interfaceRef.id] = nil }

    func present(at index: InterfaceIndex) -> WatchedInterface? {
        byID.values.first { $0.isPresent && $0.interfaceRef.index == index }
    }

    /// Stores the state of a link.
    /// - Returns: the state before; nil if it was unknown.
    func note(_ link: Link) -> Link.Appearance? {
        lowers[link.index] = link.lower
        return appearances.updateValue(link.appearance, forKey: link.index)
    }

    /// Drops the state of a link that has disappeared.
    func forget(_ index: InterfaceIndex) { (appearances[index], lowers[index]) = (nil, nil) }

    /// The watched interfaces that are ports of this interface, directly or through other masters.
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

    /// The watched interfaces below a VLAN: the one on which it is stacked, and those below that if it is a
    /// VLAN, too.
    func below(_ vlan: InterfaceIndex) -> [WatchedInterface] {
        var found: [WatchedInterface] = []
        var next = lowers[vlan]
        for _ in 0..<Self.mostMasters {
            guard let index = next else { break }
            if let watched = present(at: index) { found.append(watched) }
            next = lowers[index]
        }
        return found
    }

    /// What the announced state of a link means for the interfaces below it, if it is a VLAN; nil: nothing.
    /// Call this before ``note(_:)``.
    func eventBelow(_ link: Link) -> Event? {
        guard link.lower != nil else { return nil }
        guard let before = appearances[link.index] else { return .addressingChanged }
        // A VLAN loses its routes without an announcement when it is set down. When it is set up, the
        // baseline must no longer say that it is down.
        return before.isUp == link.isUp ? nil : .addressingLost
    }

    func present(named name: String) -> WatchedInterface? {
        byID.values.first { $0.isPresent && $0.name == name }
    }

    /// A watched interface that does not exist at present, and has the hardware of this link, or else its
    /// name.
    func absent(like link: Link) -> WatchedInterface? {
        let absent = byID.values.filter { !$0.isPresent }
        return absent.first { $0.isSameHardware(as: link) } ?? absent.first { $0.name == link.name }
    }
}
