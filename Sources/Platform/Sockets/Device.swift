import CLinux
import Glibc
import Model

/// The interface of a probe. A socket that is bound to it sends all packets through it, whatever the routes
/// say, and receives only packets that arrive through it.
public typealias Device = Port.Device

extension Device {
    /// Binds a socket to the interface (SO_BINDTODEVICE, socket(7)).
    /// - Throws: the error of setsockopt(2), or ENODEV if the name does not belong to the index any more.
    private func bind(_ descriptor: Int32) throws(SystemError) {
        let bytes = Array(name.utf8)
        try check("setsockopt") {
            setsockopt(descriptor, SOL_SOCKET, SO_BINDTODEVICE, bytes, socklen_t(bytes.count))
        }
        var bound: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        try check("getsockopt") { getsockopt(descriptor, SOL_SOCKET, Self.boundIndex, &bound, &length) }
        guard bound == index.rawValue else { throw SystemError(call: "setsockopt", code: ENODEV) }
    }

    /// Creates a socket on this interface that is non-blocking, closed on exec, and reports ICMP errors in
    /// its error queue (IP_RECVERR, ip(7)). Binding needs no privilege since Linux 5.7. An older kernel
    /// refuses it (EPERM).
    public func socket(family: Int32, type: Int32, protocol number: Int32) throws(SystemError) -> Int32 {
        let flags = type | Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = try check("socket") { Glibc.socket(family, flags, number) }
        try closingOnError(descriptor) { () throws(SystemError) in
            try bind(descriptor)
            try Self.reportErrors(of: descriptor, family)
        }
        return descriptor
    }

    /// The same for the constants of the C library.
    public func socket(
        _ family: SocketAddress.Family, type: __socket_type, protocol number: Int
    ) throws(SystemError) -> Int32 {
        try socket(family: family.rawValue, type: Int32(type.rawValue), protocol: Int32(number))
    }

    /// Whether this machine itself has the address, so that packets to it do not leave the machine. A socket
    /// can be bound to no other address (EADDRNOTAVAIL, bind(2)). Unlike a query of all addresses, this never
    /// waits for a lock of the kernel. False if that cannot be found out, as on a machine where a socket may
    /// have any address (ip_nonlocal_bind; Documentation/networking/ip-sysctl.rst).
    public func isOwn(_ address: IPAddress) -> Bool {
        canBind(to: address) && !canBind(to: address.isIPv6 ? .v6(Self.nobody6) : .v4(Self.nobody4))
    }

    /// Addresses that no machine has: 240.0.0.1 (reserved, RFC 1112) and 100::1 (discarded, RFC 6666).
    private static let nobody4: UInt32 = 0xf000_0001
    private static let nobody6: UInt128 = 0x0100 << 112 | 1

    private func canBind(to address: IPAddress) -> Bool {
        let name = SocketAddress(address, on: index)
        guard let descriptor = try? socket(name.family, type: SOCK_DGRAM, protocol: 0) else { return false }
        defer { close(descriptor) }
        return name.withPointer { Glibc.bind(descriptor, $0, $1) } == 0
    }

    private static func reportErrors(of descriptor: Int32, _ family: Int32) throws(SystemError) {
        var yes: Int32 = 1
        let length = socklen_t(MemoryLayout<Int32>.size)
        try check("setsockopt") {
            family == AF_INET6
                ? setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_RECVERR, &yes, length)
                : setsockopt(descriptor, Int32(IPPROTO_IP), IP_RECVERR, &yes, length)
        }
    }

    /// SO_BINDTOIFINDEX (asm-generic/socket.h), which the toolchain's Glibc module lacks.
    private static let boundIndex: Int32 = 62
}
