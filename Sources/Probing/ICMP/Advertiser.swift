import CLinux
import Glibc
import Model
import Platform

/// Sends unsolicited neighbour advertisements, through a raw socket (icmp6(7)), which needs CAP_NET_RAW.
public struct Advertiser {
    private let device: Device
    private let macAddress: MACAddress
    private let isRouter: Bool

    /// - Parameters:
    ///   - device: the interface that has the addresses; all packets leave through it.
    ///   - macAddress: its own.
    ///   - isRouter: whether it forwards IPv6 packets.
    public init(on device: Port.Device, macAddress: MACAddress, isRouter: Bool) {
        self.device = Device(index: device.index, name: device.name)
        self.macAddress = macAddress
        self.isRouter = isRouter
    }

    /// Announces an IPv6 address of the interface to all neighbours, once. Does not wait for anything.
    public func advertise(_ address: IPAddress) throws(Failure) {
        do throws(SystemError) {
            let descriptor = try device.socket(.v6, type: SOCK_RAW, protocol: IPPROTO_ICMPV6)
            defer { close(descriptor) }
            try send(from: address, by: descriptor)
        } catch {
            throw Failure(error)
        }
    }

    private func send(from address: IPAddress, by descriptor: Int32) throws(SystemError) {
        try set(IPV6_MULTICAST_HOPS, to: NeighbourAdvertisement.hopLimit, of: descriptor)
        // This machine need not be told.
        try set(IPV6_MULTICAST_LOOP, to: 0, of: descriptor)
        let source = SocketAddress(address, on: device.index)
        try check("bind") { source.withPointer { Glibc.bind(descriptor, $0, $1) } }
        let message = NeighbourAdvertisement(address: address, macAddress: macAddress, isRouter: isRouter)
            .bytes
        var receivers = SocketAddress(NeighbourAdvertisement.receivers, on: device.index)
        receivers.scope = UInt32(bitPattern: device.index.rawValue)
        try checkCount("sendto") {
            receivers.withPointer { sendto(descriptor, message, message.count, send_no_signal, $0, $1) }
        }
    }

    /// - Parameter option: of ipv6(7).
    private func set(_ option: Int32, to value: Int32, of descriptor: Int32) throws(SystemError) {
        var value = value
        try check("setsockopt") {
            setsockopt(
                descriptor, Int32(IPPROTO_IPV6), option, &value, socklen_t(MemoryLayout<Int32>.size))
        }
    }
}
