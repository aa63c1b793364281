import CLinux
import Glibc
import Model
import Netlink
import TestSupport
import Testing

@testable import Probing

/// What the neighbours receive when addresses are announced.
@MainActor @Suite(.enabled(if: TwoEnds.isPossible, TwoEnds.reason), .serialized, .timeLimit(.minutes(10)))
struct AnnouncementFrameTests {
    private let ends: TwoEnds
    private let commands: NetlinkCommands
    private let index: InterfaceIndex
    private let macAddress: [UInt8]

    init() throws {
        ends = try TwoEnds()
        commands = try ends.inside(ends.near) { try NetlinkCommands(.callingThread) }
        index = InterfaceIndex(rawValue: try ends.index(of: "near0"))
        let text = try TwoEnds.shell("ip netns exec \(ends.near) cat /sys/class/net/near0/address")
        macAddress = try #require(MACAddress(text: text)).bytes
    }

    private func near(_ words: String) throws { try TwoEnds.shell("ip -n \(ends.near) \(words)") }

    private func announce() async throws -> Announcement {
        try #require(try await answer { commands.announce(on: index, $0) })
    }

    /// A gratuitous ARP request of the near end: to all, from it, ARP; Ethernet, IPv4, lengths, request; sender, target.
    private func gratuitous(_ address: String) -> [UInt8] {
        let own = macAddress + IPAddress(address)!.bytes
        return [0xff, 0xff, 0xff, 0xff, 0xff, 0xff] + macAddress + [0x08, 0x06]
            + [0x00, 0x01, 0x08, 0x00, 0x06, 0x04, 0x00, 0x01]
            + own + [0, 0, 0, 0, 0, 0] + own[6...]
    }

    @Test("a broadcast ARP request announces an IPv4 address, and no neighbour entry stays behind")
    func addressResolution() async throws {
        try near("address add 10.9.0.7/24 dev near0")
        try near("address add 10.10.0.1/16 dev near0")
        let far = try Capture(ends, protocol: 0x0806)
        let announcement = try await announce()
        #expect(announcement.ipv4.map(\.description) == ["10.9.0.1", "10.10.0.1"])
        #expect(announcement.omitted.map(\.description) == ["10.9.0.7"] && announcement.failure == nil)
        #expect(far.frames(2) == [gratuitous("10.9.0.1"), gratuitous("10.10.0.1")])
        #expect(try TwoEnds.shell("ip -4 -n \(ends.near) neighbour show nud all dev near0") == "")
    }

    @Test("a neighbour entry left by a killed process is replaced, and an administrator's entry stays")
    func leftovers() async throws {
        try near("neighbour add 10.9.0.1 dev near0 nud none use")
        let far = try Capture(ends, protocol: 0x0806)
        #expect(try await announce().ipv4.count == 1)
        #expect(far.frames(1) == [gratuitous("10.9.0.1")])
        try near("neighbour add 10.9.0.1 lladdr 02:00:00:00:00:07 nud permanent dev near0")
        let announcement = try await announce()
        #expect(announcement.ipv4.isEmpty && announcement.failure?.code == EEXIST)
        let entry = try TwoEnds.shell("ip -n \(ends.near) neighbour show 10.9.0.1 dev near0")
        #expect(entry == "10.9.0.1 lladdr 02:00:00:00:00:07 PERMANENT")
    }

    @Test("an unsolicited advertisement to all nodes changes the far kernel's neighbour entry")
    func advertisement() async throws {
        let far = try Capture(ends, protocol: 0x86dd)
        let stale = "fd00:9::1 lladdr 02:00:00:00:00:99 nud reachable dev far0"
        try TwoEnds.shell("ip -n \(ends.far) neighbour replace \(stale)")
        let announcement = try await announce()
        #expect(announcement.ipv6.contains(IPAddress("fd00:9::1")!) && !announcement.isRouter)
        let address = IPAddress("fd00:9::1")!
        let discovery = NeighbourDiscovery(
            on: announcement.device, macAddress: announcement.macAddress!, isRouter: false)
        try ends.inside(ends.near) { try discovery.advertise(address) }
        let frame = try #require(
            far.frames(1) { $0.count > 54 && $0[54] == 136 && $0[22..<38] == address.bytes[...] }.first)
        #expect(Array(frame[0..<14]) == [0x33, 0x33, 0, 0, 0, 1] + macAddress + [0x86, 0xdd])
        // Payload of 32 bytes, ICMPv6, hop limit 255.
        #expect(frame[18..<22] == [0, 32, 58, 255])
        #expect(frame[38..<54] == IPAddress("ff02::1")!.bytes[...])
        var message = NeighbourAdvertisement(
            address: address, macAddress: announcement.macAddress!, isRouter: false
        ).bytes
        message.replaceSubrange(2..<4, with: frame[56..<58])  // the kernel's checksum
        #expect(Array(frame[54...]) == message)
        let known = "fd00:9::1 lladdr \(announcement.macAddress!)"
        #expect(
            await eventually {
                (try? TwoEnds.shell("ip -n \(ends.far) neighbour show fd00:9::1 dev far0"))?.hasPrefix(known)
                    ?? false
            }, "the far end did not believe it")
    }

    @Test("a solicitation for an advertised default route goes from a link-local address to all routers")
    func solicitation() async throws {
        try near("-6 route add default via fe80::77 dev near0 proto ra expires 100")
        let announcement = try await announce()
        #expect(announcement.routers.map(\.address) == [IPAddress("fe80::77")!])
        #expect(announcement.routers.allSatisfy { (90...100).contains($0.remaining.components.seconds) })
        let own = try #require(announcement.ipv6.first { $0.isIPv6LinkLocal })
        let far = try Capture(ends, protocol: 0x86dd)
        let discovery = NeighbourDiscovery(
            on: announcement.device, macAddress: announcement.macAddress!, isRouter: false)
        try ends.inside(ends.near) { try discovery.solicitRouters(from: own) }
        let frame = try #require(
            far.frames(1) { $0.count > 54 && $0[54] == 133 && $0[22..<38] == own.bytes[...] }.first)
        #expect(Array(frame[0..<14]) == [0x33, 0x33, 0, 0, 0, 2] + macAddress + [0x86, 0xdd])
        // Payload of 16 bytes, ICMPv6, hop limit 255.
        #expect(frame[18..<22] == [0, 16, 58, 255])
        #expect(frame[38..<54] == IPAddress("ff02::2")!.bytes[...])
        var message = RouterSolicitation(macAddress: announcement.macAddress!).bytes
        message.replaceSubrange(2..<4, with: frame[56..<58])  // the kernel's checksum
        #expect(Array(frame[54...]) == message)
    }

    @Test("a machine that forwards IPv6 sets the router flag", arguments: [false, true])
    func router(forwards: Bool) async throws {
        let setting = "net.ipv6.conf.near0.forwarding=\(forwards ? 1 : 0)"
        try TwoEnds.shell("ip netns exec \(ends.near) sysctl -q -w \(setting)")
        #expect(try await announce().isRouter == forwards)
    }

    @Test("nothing is advertised for an address that is gone, or on an interface with another index")
    func gone() throws {
        let (macAddress, device) = (MACAddress(macAddress)!, Port.Device(index: index, name: "near0"))
        let other = Port.Device(index: InterfaceIndex(rawValue: index.rawValue + 1), name: "near0")
        for (device, address, code) in [(device, "fd00:9::7", EADDRNOTAVAIL), (other, "fd00:9::1", ENODEV)] {
            let failure = #expect(throws: Failure.self) {
                try ends.inside(ends.near) {
                    try NeighbourDiscovery(on: device, macAddress: macAddress, isRouter: false)
                        .advertise(IPAddress(address)!)
                }
            }
            #expect(failure?.code == code)
        }
    }
}

/// Reads what arrives at the far end (packet(7)).
@MainActor private final class Capture {
    private let descriptor: Int32

    /// - Parameter number: an EtherType.
    init(_ ends: TwoEnds, protocol number: UInt16) throws {
        descriptor = try ends.inside(ends.far) {
            socket(AF_PACKET, Int32(SOCK_RAW.rawValue | SOCK_CLOEXEC.rawValue), Int32(number.bigEndian))
        }
        try #require(descriptor >= 0)
        var timeout = timeval(tv_sec: 5, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    }

    isolated deinit { close(descriptor) }

    /// Waits for `count` wanted frames, at most five seconds for each next frame, then takes what has arrived
    /// as well.
    /// - Returns: the wanted frames, which may be fewer or more than `count`.
    func frames(_ count: Int, where isWanted: ([UInt8]) -> Bool = { _ in true }) -> [[UInt8]] {
        var found: [[UInt8]] = []
        while let frame = next(found.count < count ? 0 : message_dont_wait) {
            if isWanted(frame) { found.append(frame) }
        }
        return found
    }

    private func next(_ flags: Int32) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 2048)
        let length = recv(descriptor, &bytes, bytes.count, flags)
        return length > 0 ? Array(bytes.prefix(length)) : nil
    }
}
