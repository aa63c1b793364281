import CLinux
import Glibc
import Model
import Platform

/// Sends unsolicited neighbour advertisements and router solicitations (RFC 4861) through a raw socket
/// (icmp6(7)). This needs CAP_NET_RAW. Does not wait for answers.
public struct NeighbourDiscovery {
    private let device: Device
    private let macAddress: MACAddress
    private let isRouter: Bool

    /// - Parameters:
    ///   - device: the interface that has the addresses. All packets leave through it.
    ///   - macAddress: the hardware address of the interface.
    ///   - isRouter: whether the interface forwards IPv6 packets.
    public init(on device: Device, macAddress: MACAddress, isRouter: Bool) {
        self.device = device
        self.macAddress = macAddress
        self.isRouter = isRouter
    }

    /// Announces an IPv6 address of the interface to all neighbours, once.
    /// - Throws: the error of the system call that failed.
    public func advertise(_ address: IPAddress) throws(Failure) {
        let message = NeighbourAdvertisement(address: address, macAddress: macAddress, isRouter: isRouter)
        try send(message.bytes, from: address, to: NeighbourAdvertisement.receivers)
    }

    /// Asks all routers on the link for an advertisement, once.
    /// - Parameter address: the source address, which is an address of the interface; a link-local one if
    ///   possible.
    /// - Throws: the error of the system call that failed.
    public func solicitRouters(from address: IPAddress) throws(Failure) {
        let message = RouterSolicitation(macAddress: macAddress)
        try send(message.bytes, from: address, to: RouterSolicitation.receivers)
    }

    private func send(
        _ message: [UInt8], from address: IPAddress, to receivers: IPAddress
    ) throws(Failure) {
        do throws(SystemError) {
            let descriptor = try device.socket(.v6, type: SOCK_RAW, protocol: IPPROTO_ICMPV6)
            defer { close(descriptor) }
            try send(message, from: address, to: receivers, by: descriptor)
        } catch {
            throw Failure(error)
        }
    }

    /// The hop limit that receivers require. A lower one would mean that a router has forwarded the message.
    private static let hopLimit: Int32 = 255

    private func send(
        _ message: [UInt8], from address: IPAddress, to receivers: IPAddress, by descriptor: Int32
    ) throws(SystemError) {
        try set(IPV6_MULTICAST_HOPS, to: Self.hopLimit, of: descriptor)
        // This machine itself needs no copy.
        try set(IPV6_MULTICAST_LOOP, to: 0, of: descriptor)
        let source = SocketAddress(address, on: device.index)
        try check("bind") { source.withPointer { Glibc.bind(descriptor, $0, $1) } }
        var receivers = SocketAddress(receivers, on: device.index)
        receivers.scope = UInt32(bitPattern: device.index.rawValue)
        try checkCount("sendto") {
            receivers.withPointer { sendto(descriptor, message, message.count, send_no_signal, $0, $1) }
        }
    }

    /// - Parameter option: a socket option of ipv6(7).
    private func set(_ option: Int32, to value: Int32, of descriptor: Int32) throws(SystemError) {
        var value = value
        try check("setsockopt") {
            setsockopt(
                descriptor, Int32(IPPROTO_IPV6), option, &value, socklen_t(MemoryLayout<Int32>.size))
        }
    }
}
