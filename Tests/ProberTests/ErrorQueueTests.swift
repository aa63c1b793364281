import CLinux
import Glibc
import Model
import Platform
import Testing

@testable import wifi_toggler_prober

/// struct cmsghdr, struct sock_extended_err and the offender's address, as the kernel gives them (ip(7)), in
/// the machine's byte order.
private func report(
    origin: Int32, type: Int32, code: Int32, errno: Int32 = EHOSTUNREACH,
    offender: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0],
    level: Int32 = 0, kind: Int32 = IP_RECVERR, length: Int? = nil
) -> [UInt8] {
    var bytes: [UInt8] = []
    withUnsafeBytes(of: length ?? 32 + offender.count) { bytes += $0 }
    for number in [level, kind, errno] { withUnsafeBytes(of: number) { bytes += $0 } }
    bytes += [UInt8(origin), UInt8(type), UInt8(code), 0] + [UInt8](repeating: 0, count: 8)
    return bytes + offender
}

@Suite("A socket's error queue")
struct ErrorQueueTests {
    private static let target = IPAddress("192.0.2.1")!
    private static let local = IPAddress("192.0.2.2")!
    private static func from(_ last: UInt8) -> [UInt8] { [2, 0, 0, 0, 192, 0, 2, last] }

    private func fault(_ control: [UInt8], target: IPAddress = target) -> SocketFault? {
        let report = ControlMessages(control).data { level, type in
            level == Int32(IPPROTO_IP) && type == IP_RECVERR
                || level == Int32(IPPROTO_IPV6) && type == IPV6_RECVERR
        }.flatMap { ErrorReport($0, quoted: []) }
        return report.map { SocketFault($0, target: target, local: Self.local) }
    }

    private func origin(_ control: [UInt8]) -> SocketFault.Origin? { fault(control)?.origin }

    private static let icmp = SO_EE_ORIGIN_ICMP

    @Test("an error queue entry names the host that sent the error")
    func origins() {
        #expect(origin(report(origin: Self.icmp, type: 3, code: 3, offender: Self.from(1))) == .target)
        #expect(
            origin(report(origin: Self.icmp, type: 3, code: 1, offender: Self.from(9)))
                == .stranger(IPAddress("192.0.2.9")!))
        #expect(
            origin(report(origin: Self.icmp, type: 3, code: 1, offender: Self.from(2))) == .silentNeighbour)
        #expect(origin(report(origin: Self.icmp, type: 3, code: 3, offender: Self.from(2))) == .ours)
        #expect(origin(report(origin: SO_EE_ORIGIN_LOCAL, type: 0, code: 0)) == .ours)
        #expect(
            origin(
                report(
                    origin: SO_EE_ORIGIN_ICMP6, type: ICMPV6_DEST_UNREACH, code: ICMPV6_ADDR_UNREACH,
                    level: Int32(IPPROTO_IPV6), kind: IPV6_RECVERR)) == .silentNeighbour)
    }

    @Test("the target's error counts as the target's, even if the target has this machine's address")
    func ownTarget() {
        let control = report(origin: Self.icmp, type: 3, code: 3, errno: ECONNREFUSED, offender: Self.from(2))
        #expect(fault(control, target: Self.local) == SocketFault(code: ECONNREFUSED, origin: .target))
    }

    @Test("without an entry, EHOSTUNREACH and ETIMEDOUT mean that an answer is missing, ENETUNREACH does not")
    func unreported() {
        #expect(SocketFault.local(EHOSTUNREACH).origin == .silentNeighbour)
        #expect(SocketFault.local(ETIMEDOUT).origin == .silentTarget)
        #expect(SocketFault.local(ENETUNREACH).origin == .ours)
    }

    @Test("a short, foreign or wrongly sized entry has no origin")
    func hostile() {
        let whole = report(origin: Self.icmp, type: 3, code: 3, offender: Self.from(1))
        for count in 0..<32 { #expect(origin(Array(whole.prefix(count))) == nil) }
        #expect(origin(report(origin: Self.icmp, type: 3, code: 3, kind: 99)) == nil)
        for length in [Int.min, -1, 0, 31, 1 << 40, .max] {
            #expect(origin(report(origin: Self.icmp, type: 3, code: 3, length: length)) == nil)
        }
    }
}
