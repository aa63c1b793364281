import CNetlink
import Glibc
import Model
import Synchronization
import TestSupport
import Testing

@testable import Netlink

private let wlan = InterfaceIndex(rawValue: 3)

/// An address as the kernel lists it.
private func address(
    _ text: String, _ prefixLength: UInt8 = 24, far: String? = nil, scope: UInt8 = 0, flags: Int32 = 0
) -> [UInt8] {
    let address = IPAddress(text)!
    var header = ifaddrmsg()
    header.ifa_family = UInt8(address.family)
    header.ifa_prefixlen = prefixLength
    header.ifa_scope = scope
    header.ifa_index = UInt32(bitPattern: wlan.rawValue)
    let local = far == nil && address.isIPv6 ? [] : attribute(IFA_LOCAL, address.bytes)
    return Array(of: header) + attribute(IFA_ADDRESS, (far.map { IPAddress($0)! } ?? address).bytes) + local
        + attribute(IFA_FLAGS, Array(of: UInt32(flags)))
}

private func attribute<Name: RawRepresentable<UInt32>>(_ name: Name, _ payload: [UInt8]) -> [UInt8] {
    attribute(Int(name.rawValue), payload)
}

private func attribute(_ name: some BinaryInteger, _ payload: [UInt8]) -> [UInt8] {
    Array(of: UInt16(payload.count + 4)) + Array(of: UInt16(name)) + payload
}

private func own(_ messages: [[UInt8]]) -> OwnAddresses {
    OwnAddresses(messages.compactMap { AddressMessage.parse($0[...]) })
}

private func addresses(_ texts: [String]) -> [IPAddress] { texts.map { IPAddress($0)! } }

@Suite("Which addresses of a link are announced")
struct OwnAddressesTests {
    @Test("an address of either family that others may send to is announced, also one of link scope")
    func usable() {
        let link = UInt8(RT_SCOPE_LINK.rawValue)
        let found = own([
            address("10.77.0.2"), address("169.254.3.4", 16, scope: link), address("2001:db8::7", 64),
            address("fe80::7", 64, scope: link), address("2001:db8::8", 64, flags: IFA_F_TEMPORARY),
        ])
        #expect(found.ipv4 == addresses(["10.77.0.2", "169.254.3.4"]))
        #expect(found.ipv6 == addresses(["2001:db8::7", "fe80::7", "2001:db8::8"]))
        #expect(found.omitted.isEmpty)
    }

    @Test(
        "a tentative, duplicate, deprecated or host-scope address is not announced",
        arguments: [
            address("fe80::7", 64, flags: IFA_F_TENTATIVE), address("fe80::7", 64, flags: IFA_F_DADFAILED),
            address("2001:db8::7", 64, flags: IFA_F_DEPRECATED),
            address("2001:db8::7", 64, flags: IFA_F_OPTIMISTIC | IFA_F_TENTATIVE),
            address("10.77.0.2", scope: UInt8(RT_SCOPE_HOST.rawValue)), address("0.0.0.0"),
        ])
    func unusable(message: [UInt8]) {
        #expect(own([message]).ipv4.isEmpty && own([message]).ipv6.isEmpty && own([message]).omitted.isEmpty)
    }

    @Test("only the first address of a subnet is announced, the one that the kernel uses as the sender")
    func sender() {
        let found = own([
            address("10.77.0.2"), address("10.77.0.3", flags: IFA_F_SECONDARY), address("10.78.0.2"),
            // Its /16 contains the first address's /24, so it is in the same subnet.
            address("10.77.0.9", 16),
        ])
        #expect(found.ipv4 == addresses(["10.77.0.2", "10.78.0.2"]))
        #expect(found.omitted == addresses(["10.77.0.3", "10.77.0.9"]))
    }

    @Test("a point-to-point link's local address is announced if it is the first")
    func pointToPoint() {
        let far = address("10.77.0.2", 32, far: "10.99.0.1")
        #expect(own([far, address("10.78.0.2")]).ipv4 == addresses(["10.77.0.2", "10.78.0.2"]))
        #expect(own([address("10.78.0.2"), far]).omitted == addresses(["10.77.0.2"]))
    }

    @Test("at most sixteen addresses of both families together are announced")
    func most() {
        let v4 = (1...10).map { address("10.\($0).0.2") }
        let v6 = (1...10).map { address("2001:db8::\($0)", 64) }
        let found = own(v4 + v6)
        #expect(found.ipv4.count == 10 && found.ipv6.count == 6)
    }
}

@MainActor
@Suite("Announcing the link's addresses to the neighbours")
struct AnnouncementTests {
    /// A kernel with one link and these addresses.
    private struct Machine: Sendable {
        var link = Samples.link
        var addresses = [address("10.77.0.2"), address("fe80::7", 64, scope: 253)]
        /// The errnos that the first requests of RTM_NEWNEIGH get, in order; all later ones succeed.
        var refusals: [Int32] = []
        /// The answer to RTM_DELNEIGH.
        var removal: Int32 = 0
        /// The state of the neighbour entry for the link's own address; nil: there is no entry.
        var entry: Neighbour.State?
        var configuration: [UInt8] = Machine.configuration(forwarding: 0)
        var routes: [[UInt8]] = []

        static func configuration(forwarding: Int32, of index: Int32 = 3) -> [UInt8] {
            [0x0a, 0, 0, 0]  // ncm_family AF_INET6, padding
                + attribute(NETCONFA_IFINDEX, Array(of: index))
                + attribute(NETCONFA_FORWARDING, Array(of: forwarding))
        }

        @MainActor func lastAdvertisement() async throws -> LastAdvertisement? {
            let commands = NetlinkCommands(
                .callingThread, route: kernel.transport, generic: kernel.transport,
                requestTimeout: .seconds(60))
            return try await outcome { commands.lastAdvertisement(on: wlan, $0) }.get()
        }

        @MainActor func announce() async throws -> (Result<Announcement?, Failure>, [[UInt8]]) {
            let kernel = kernel
            let commands = NetlinkCommands(
                .callingThread, route: kernel.transport, generic: kernel.transport,
                requestTimeout: .seconds(60))
            let result = try await outcome { commands.announce(on: wlan, $0) }
            return (result, kernel.requests)
        }

        private var kernel: ScriptedKernel {
            let machine = self
            let creations = Counter()
            return ScriptedKernel { request, _ in
                let answer = { (type: Int, payload: [UInt8]) in
                    Result<[UInt8], Failure>.success(
                        Samples.message(type: type, sequence: request.sequence, payload))
                }
                switch Int(request.type) {
                case Int(RTM_GETLINK): return [answer(Int(RTM_NEWLINK), machine.link)]
                case Int(RTM_GETADDR):
                    return machine.addresses.map { answer(Int(RTM_NEWADDR), $0) } + [.success(request.done())]
                case Int(RTM_NEWNEIGH):
                    let number = creations.next()
                    let code = number < machine.refusals.count ? machine.refusals[number] : 0
                    return [.success(request.acknowledgement(code))]
                case Int(RTM_DELNEIGH): return [.success(request.acknowledgement(machine.removal))]
                case Int(RTM_GETNEIGH):
                    guard let entry = machine.entry else {
                        return [.success(request.acknowledgement(ENOENT))]
                    }
                    return [answer(Int(RTM_NEWNEIGH), Self.neighbour(in: entry))]
                case Int(RTM_GETROUTE):
                    return machine.routes.map { answer(Int(RTM_NEWROUTE), $0) } + [.success(request.done())]
                case Int(RTM_GETNETCONF):
                    return [
                        answer(Int(RTM_NEWNETCONF), machine.configuration),
                        .success(request.acknowledgement()),
                    ]
                default: return [.success(request.acknowledgement(EOPNOTSUPP))]
                }
            }
        }

        private static func neighbour(in state: Neighbour.State) -> [UInt8] {
            var header = ndmsg()
            header.ndm_family = UInt8(AF_INET)
            header.ndm_ifindex = wlan.rawValue
            header.ndm_state = UInt16(state == .permanent ? NUD_PERMANENT : NUD_FAILED)
            return Array(of: header) + attribute(NDA_DST, IPAddress("10.77.0.2")!.bytes)
        }
    }

    private func type(of request: [UInt8]) -> Int { Int(request[4]) | Int(request[5]) << 8 }

    @Test("an IPv4 address is announced by a neighbour entry for it, which is removed at once")
    func bytes() async throws {
        let (result, requests) = try await Machine(addresses: [address("10.77.0.2")]).announce()
        let announcement = try #require(try result.get())
        #expect(announcement.device == Port.Device(index: wlan, name: "wlan0"))
        #expect(announcement.macAddress == MACAddress([2, 0, 0, 0, 1, 0]))
        #expect(announcement.ipv4 == addresses(["10.77.0.2"]) && announcement.failure == nil)
        #expect(announcement.ipv6.isEmpty && announcement.omitted.isEmpty && !announcement.isRouter)
        #expect(requests.map(type).suffix(2) == [Int(RTM_NEWNEIGH), Int(RTM_DELNEIGH)])
        let body: [UInt8] = [
            0x02, 0x00, 0x00, 0x00,  // ndm_family AF_INET
            0x03, 0x00, 0x00, 0x00,  // ndm_ifindex 3
        ]
        let destination: [UInt8] = [
            0x08, 0x00, 0x01, 0x00,  // nla_len 8, NDA_DST
            0x0a, 0x4d, 0x00, 0x02,  // 10.77.0.2
        ]
        let creation = try #require(requests.dropLast().last)
        #expect(creation[4..<8] == [0x1c, 0x00, 0x05, 0x06])  // RTM_NEWNEIGH, REQUEST|ACK, EXCL|CREATE
        // ndm_state NUD_NONE, ndm_flags NTF_USE
        #expect(Array(creation[16...]) == body + [0x00, 0x00, 0x01, 0x00] + destination)
        let removal = try #require(requests.last)
        #expect(removal[4..<8] == [0x1d, 0x00, 0x05, 0x00])  // RTM_DELNEIGH, REQUEST|ACK
        #expect(Array(removal[16...]) == body + [0x00, 0x00, 0x00, 0x00] + destination)
    }

    @Test(
        "IPv6 addresses are not announced, but returned together with whether the machine forwards",
        arguments: [0, 1, -1])
    func ipv6(forwarding: Int32) async throws {
        let (result, requests) = try await Machine(
            configuration: Machine.configuration(forwarding: forwarding)
        ).announce()
        let announcement = try #require(try result.get())
        #expect(announcement.ipv6 == addresses(["fe80::7"]))
        #expect(announcement.isRouter == (forwarding != 0))
        let last = try #require(requests.dropLast().last)
        #expect(type(of: last) == Int(RTM_GETNETCONF))
        // ncm_family AF_INET6; nla_len 8, NETCONFA_IFINDEX, 3
        #expect(Array(last[16...]) == [0x0a, 0, 0, 0, 0x08, 0, 0x01, 0, 0x03, 0, 0, 0])
    }

    /// A route as the kernel lists it.
    private func route(
        through gateway: String? = "fe80::1", prefixLength: UInt8 = 0, by made: Int32 = RTPROT_RA,
        on index: Int32 = 3, ticks: Int32 = 1800 * Int32(NeighbourMessage.ticksPerSecond)
    ) -> [UInt8] {
        var header = rtmsg()
        header.rtm_family = UInt8(AF_INET6)
        header.rtm_dst_len = prefixLength
        header.rtm_protocol = UInt8(made)
        header.rtm_type = UInt8(RTN_UNICAST)
        var times = rta_cacheinfo()
        times.rta_expires = ticks
        return Array(of: header) + attribute(RTA_OIF, Array(of: index))
            + (gateway.map { attribute(RTA_GATEWAY, IPAddress($0)!.bytes) } ?? [])
            + attribute(RTA_CACHEINFO, Array(of: times))
    }

    @Test("only the gateway of a default route from an advertisement, with a lifetime, counts as a router")
    func routers() async throws {
        let routes = [
            route(), route(through: nil), route(prefixLength: 64), route(by: RTPROT_STATIC), route(on: 4),
            route(ticks: 0), route(ticks: -1), [0x0a],
        ]
        let (result, _) = try await Machine(routes: routes).announce()
        #expect(
            try result.get()?.routers
                == [AdvertisedRouter(address: IPAddress("fe80::1")!, remaining: .seconds(1800))])
        #expect(try await Machine(addresses: [address("10.77.0.2")]).announce().0.get()?.routers == [])
    }

    /// An address as the kernel creates it from a router advertisement that came at this time.
    private func advertised(
        _ text: String = "2001:db8::7", at stamp: UInt32, by made: Int32 = IFAPROT_KERNEL_RA, flags: Int32 = 0
    ) -> [UInt8] {
        var times = ifa_cacheinfo()
        times.tstamp = stamp
        return address(text, 64, flags: flags) + attribute(IFA_CACHEINFO, Array(of: times))
            + attribute(IFA_PROTO, [UInt8(made)])
    }

    @Test("the newest address from a router advertisement gives the age of the last advertisement")
    func lastAdvertisement() async throws {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        let now = LastAdvertisement.stamp(atMonotonic: Int64(time.tv_sec) * 1_000_000_000)
        let found = try await Machine(
            addresses: [advertised(at: now &- 50_000), advertised(at: now &- 30_000)],
            routes: [route(), route(ticks: 9 * Int32(NeighbourMessage.ticksPerSecond))]
        ).lastAdvertisement()
        let last = try #require(found)
        #expect(last.lifetime - last.ago == .seconds(1800))
        #expect((.seconds(300)..<(.seconds(500))).contains(last.ago), "not the older one's")
        #expect(try await Machine(addresses: [advertised(at: now)]).lastAdvertisement() == nil, "no route")
        #expect(
            try await Machine(routes: [route()]).lastAdvertisement() == nil, "no address of an advertisement")
    }

    @Test(
        "the age of a router advertisement comes only from its addresses, and is right if the stamp wraps")
    func age() {
        func age(_ message: [UInt8], on index: InterfaceIndex = wlan, at now: UInt32) -> Duration? {
            LastAdvertisement.age(message[...], on: index, at: now)
        }
        #expect(age(advertised(at: .max - 99), at: 100) == .seconds(2))
        #expect(age(advertised(at: 7), at: 6) == .zero)
        #expect(age(advertised(at: 0, by: IFAPROT_KERNEL_LL), at: 100) == nil)
        #expect(age(advertised(at: 0, flags: IFA_F_TEMPORARY), at: 100) == nil)
        #expect(age(advertised("10.77.0.2", at: 0), at: 100) == nil)
        #expect(age(advertised(at: 0), on: InterfaceIndex(rawValue: 4), at: 100) == nil)
        #expect(age(address("2001:db8::7", 64), at: 100) == nil)
        #expect(age([0x0a], at: 100) == nil)
    }

    @Test("an answer about another interface, or an empty answer, is an error", arguments: [true, false])
    func nonsense(isAnothers: Bool) async throws {
        let (result, _) = try await Machine(
            configuration: isAnothers ? Machine.configuration(forwarding: 0, of: 4) : [0x0a, 0, 0, 0]
        ).announce()
        let failure = #expect(throws: Failure.self) { try result.get() }
        #expect(failure?.kind == .lost)
    }

    @Test("a failed neighbour entry for the link's own address is replaced, and the address announced")
    func leftBehind() async throws {
        for entry in [Neighbour.State.failed, nil] {
            let (result, requests) = try await Machine(refusals: [EEXIST], entry: entry).announce()
            #expect(try result.get()?.ipv4 == addresses(["10.77.0.2"]))
            let removals = requests.filter { type(of: $0) == Int(RTM_DELNEIGH) }
            #expect(removals.count == 2)
        }
    }

    @Test("if an administrator made a neighbour entry for the address, it stays, and nothing is announced")
    func administrators() async throws {
        let (result, requests) = try await Machine(refusals: [EEXIST], entry: .permanent).announce()
        #expect(try result.get()?.ipv4 == [] && result.get()?.failure?.code == EEXIST)
        #expect(!requests.contains { type(of: $0) == Int(RTM_DELNEIGH) })
    }

    @Test("an address that the kernel refuses is reported, and the next address is announced")
    func refused() async throws {
        let machine = Machine(addresses: [address("10.77.0.2"), address("10.78.0.2")], refusals: [ENOBUFS])
        let (result, _) = try await machine.announce()
        #expect(try result.get()?.ipv4 == addresses(["10.78.0.2"]))
        #expect(try result.get()?.failure?.code == ENOBUFS)
    }

    @Test("an address whose entry is gone before its removal counts as announced")
    func gone() async throws {
        let (result, _) = try await Machine(removal: ENOENT).announce()
        #expect(try result.get()?.ipv4 == addresses(["10.77.0.2"]) && result.get()?.failure == nil)
    }
}

/// Counts calls; each call gets the number of earlier ones.
private final class Counter: Sendable {
    private let count = Mutex(0)

    func next() -> Int {
        count.withLock { count in
            defer { count += 1 }
            return count
        }
    }
}
