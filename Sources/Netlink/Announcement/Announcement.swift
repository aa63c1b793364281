import CNetlink
import Glibc
import Model

/// What the neighbours of an interface were told of its addresses, and what is left to tell them.
public struct Announcement: Equatable, Sendable {
    /// The interface that has the addresses: this one, or the master whose traffic passes through it.
    public var device: Port.Device
    public var macAddress: MACAddress?
    /// The IPv4 addresses that the kernel has announced.
    public var ipv4: [IPAddress] = []
    /// The IPv4 addresses that it announces for nobody: secondary ones of a subnet (IFA_F_SECONDARY).
    public var omitted: [IPAddress] = []
    /// Why the kernel refused to announce one or more IPv4 addresses; nil: it did not.
    public var failure: Failure?
    /// The IPv6 addresses, which are still to be announced.
    public var ipv6: [IPAddress] = []
    /// Whether the machine is an IPv6 router to these neighbours; false if there is no IPv6 address.
    public var isRouter = false
    /// The IPv6 routers that have advertised themselves on the device.
    public var routers: [AdvertisedRouter] = []
}

extension NetlinkCommands {
    /// Makes the kernel announce the IPv4 addresses of an interface by ARP, at most 16 addresses of both families
    /// being looked at, and looks for its IPv6 routers (RTM_GETADDR, RTM_NEWNEIGH, RTM_GETROUTE). nil: nobody tells
    /// where the traffic of this port has its addresses, as with a backup port of a bond.
    public func announce(on index: InterfaceIndex, _ done: @escaping Completion<Announcement?>) {
        ask({ (kernel) throws(Failure) in try kernel.announce(on: index) }, done)
    }
}

extension Conversation {
    fileprivate mutating func announce(on index: InterfaceIndex) throws(Failure) -> Announcement? {
        let port = try linkAndMaster(index)
        guard port.hasUpperLayers else { return nil }
        let link = if let upper = port.port?.upper { try self.link(upper.index) } else { port }
        var announcement = Announcement(
            device: Port.Device(index: link.index, name: link.name), macAddress: link.macAddress)
        let addresses = OwnAddresses(try addressMessages(of: link.index))
        (announcement.omitted, announcement.ipv6) = (addresses.omitted, addresses.ipv6)
        for address in addresses.ipv4 {
            do throws(Failure) {
                try announceByARP(address, on: link.index)
                announcement.ipv4.append(address)
            } catch {
                announcement.failure = error
            }
        }
        if !addresses.ipv6.isEmpty {
            announcement.isRouter = try forwardsIPv6(on: link.index)
            announcement.routers = try advertisedRouters(of: link.index)
        }
        return announcement
    }

    /// The kernel resolves the interface's own address as if it were a neighbour's: it broadcasts an ARP request
    /// whose sender and target are that address, a gratuitous one. That needs CAP_NET_ADMIN, and no raw socket.
    /// Nobody answers it, so the entry is removed at once.
    private mutating func announceByARP(_ address: IPAddress, on index: InterfaceIndex) throws(Failure) {
        do throws(Failure) {
            try order(NeighbourRequest.resolveAnew(address, on: index), of: route)
        } catch  where error.code == EEXIST {
            // Left by a process that was killed here; the kernel may keep it for ever.
            if try neighbour(address, on: index)?.state.isAdministrators == true { throw error }
            try removeNeighbour(address, on: index)
            try order(NeighbourRequest.resolveAnew(address, on: index), of: route)
        }
        try removeNeighbour(address, on: index)
    }

    /// Also if it is gone already.
    private mutating func removeNeighbour(_ address: IPAddress, on index: InterfaceIndex) throws(Failure) {
        do throws(Failure) {
            try order(NeighbourRequest.remove(address, on: index), of: route)
        } catch  where error.code == ENOENT {}
    }
}

extension Neighbour.State {
    /// The kernel makes no such entries for an address of its own.
    fileprivate var isAdministrators: Bool { self == .permanent || self == .noARP }
}
