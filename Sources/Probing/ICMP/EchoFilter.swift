import CLinux
import Glibc
import Platform

/// A socket filter that passes only echo replies with one identifier to a raw socket (SO_ATTACH_FILTER,
/// socket(7)). Without it, every ICMP message of the target would wake the program, including its answers to
/// other programs. Errors are not filtered, because they arrive through the error queue.
struct EchoFilter {
    private let family: SocketAddress.Family
    private let identifier: UInt16

    init(_ family: SocketAddress.Family, identifier: UInt16) {
        self.family = family
        self.identifier = identifier
    }

    func attach(to descriptor: Int32) throws(SystemError) {
        var program = program
        let count = UInt16(program.count)
        try check("setsockopt") {
            program.withUnsafeMutableBufferPointer {
                var filter = sock_fprog(len: count, filter: $0.baseAddress)
                return setsockopt(
                    descriptor, SOL_SOCKET, SO_ATTACH_FILTER, &filter,
                    socklen_t(MemoryLayout<sock_fprog>.size))
            }
        }
    }

    /// The filter in the kernel's classic BPF (Documentation/networking/filter.rst). The register X holds the
    /// position at which the ICMP header begins.
    private var program: [sock_filter] {
        let (reply, start) =
            switch family {
            // The ICMP header follows the IP header, whose length is in its first byte.
            case .v4: (ICMP_ECHOREPLY, step(BPF_LDX | BPF_B | BPF_MSH, 0))
            // A raw IPv6 socket delivers no IP header.
            case .v6: (ICMPV6_ECHO_REPLY, step(BPF_LDX | BPF_IMM, 0))
            }
        return [
            start,
            step(BPF_LD | BPF_B | BPF_IND, 0),
            step(BPF_JMP | BPF_JEQ | BPF_K, UInt32(reply), otherwise: 3),
            step(BPF_LD | BPF_H | BPF_IND, 4),
            step(BPF_JMP | BPF_JEQ | BPF_K, UInt32(identifier), otherwise: 1),
            step(BPF_RET | BPF_K, .max),
            step(BPF_RET | BPF_K, 0),
        ]
    }

    private func step(_ code: Int32, _ value: UInt32, otherwise skipped: UInt8 = 0) -> sock_filter {
        sock_filter(code: UInt16(code), jt: 0, jf: skipped, k: value)
    }
}
