import CNetlink
import Glibc
import Model

/// The result of announcing an interface's addresses to its neighbours: what the kernel has announced, and
/// what is still to be announced.
public struct Announcement: Equatable, Sendable {
    /// The interface that has the addresses: the one that was asked for, or the master that carries its
    /// traffic.
    public var device: Port.Device
    public var macAddress: MACAddress?
    /// The IPv4 addresses that the kernel has announced.
    public var ipv4: [IPAddress] = []
    /// The other IPv4 addresses, which the kernel does not announce: mostly the secondary ones of a subnet
    /// (IFA_F_SECONDARY).
    public var omitted: [IPAddress] = []
    /// Why the kernel refused to announce at least one IPv4 address; nil if it refused none.
    public var failure: Failure?
    /// The IPv6 addresses. The kernel does not announce them; the caller must.
    public var ipv6: [IPAddress] = []
    /// Whether the machine forwards IPv6 packets, and so is a router to these neighbours. False if there is
    /// no IPv6 address.
    public var isRouter = false
    /// The IPv6 routers that have advertised themselves on the device.
    public var routers: [AdvertisedRouter] = []
}

extension NetlinkCommands {
    /// Makes the kernel announce the IPv4 addresses of an interface by gratuitous ARP, and reads its IPv6
    /// addresses and routers (RTM_GETADDR, RTM_NEWNEIGH, RTM_GETROUTE; rtnetlink(7)). Handles at most 16
    /// addresses, both families together. Completes with nil if this interface is a port whose traffic
    /// belongs to no known interface, such as a backup port of a bond.
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

    /// Makes the kernel resolve the interface's own address as if it were a neighbour's. The kernel then
    /// broadcasts a gratuitous ARP request: one whose sender and target are that address. This needs
    /// CAP_NET_ADMIN, but no raw socket. Nobody answers the request, so the neighbour entry is removed at
    /// once.
    private mutating func announceByARP(_ address: IPAddress, on index: InterfaceIndex) throws(Failure) {
        do throws(Failure) {
            try order(NeighbourRequest.resolveAnew(address, on: index), of: route)
        } catch  where error.code == EEXIST {
            // A process that was killed at this point left the entry. The kernel may keep it for ever.
            if try neighbour(address, on: index)?.state.isAdministrators == true { throw error }
            try removeNeighbour(address, on: index)
            try order(NeighbourRequest.resolveAnew(address, on: index), of: route)
        }
        try removeNeighbour(address, on: index)
    }

    /// Removes a neighbour entry. Succeeds also if there is none (ENOENT).
    private mutating func removeNeighbour(_ address: IPAddress, on index: InterfaceIndex) throws(Failure) {
        do throws(Failure) {
            try order(NeighbourRequest.remove(address, on: index), of: route)
        } catch  where error.code == ENOENT {}
    }
}

extension Neighbour.State {
    /// Whether an administrator has made this entry. The kernel itself never gives these states to an entry
    /// for one of its own addresses.
    fileprivate var isAdministrators: Bool { self == .permanent || self == .noARP }
}
