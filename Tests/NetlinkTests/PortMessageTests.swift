import CNetlink
import Dispatch
import Glibc
import Model
import TestSupport
import Testing

@testable import Netlink

private let wlan = InterfaceIndex(rawValue: 3)

/// Link messages of masters and their ports.
enum PortSamples {
    /// An attribute, padded; a nested one has the flag NLA_F_NESTED, as the kernel sends it.
    static func attribute(_ type: some BinaryInteger, _ payload: [UInt8], isNested: Bool = false) -> [UInt8] {
        let bytes =
            Samples.bytes(UInt16(4 + payload.count))
            + Samples.bytes(UInt16(type) | (isNested ? UInt16(NLA_F_NESTED) : 0)) + payload
        return bytes + Array(repeating: 0, count: (4 - bytes.count % 4) % 4)
    }

    /// - Parameter state: the content of IFLA_INFO_SLAVE_DATA; nil: the attribute is missing.
    static func info(_ kind: String, _ state: [UInt8]?) -> [UInt8] {
        attribute(
            IFLA_LINKINFO,
            attribute(IFLA_INFO_SLAVE_KIND, Array(kind.utf8) + [0])
                + (state.map { attribute(IFLA_INFO_SLAVE_DATA, $0, isNested: true) } ?? []), isNested: true)
    }

    static func bond(_ state: UInt8) -> [UInt8] { info("bond", attribute(IFLA_BOND_SLAVE_STATE, [state])) }
    /// The attribute IFLA_LINKINFO of a bond itself.
    static func bondMode(_ mode: [UInt8]) -> [UInt8] {
        attribute(
            IFLA_LINKINFO,
            attribute(IFLA_INFO_KIND, Array("bond".utf8) + [0])
                + attribute(IFLA_INFO_DATA, attribute(IFLA_BOND_MODE, mode), isNested: true), isNested: true)
    }
    static func bridge(_ state: UInt8) -> [UInt8] { info("bridge", attribute(IFLA_BRPORT_STATE, [state])) }

    /// - Parameter info: the attribute IFLA_LINKINFO.
    static func link(
        _ index: Int32, _ name: String, isUp: Bool = true, master: Int32? = nil, _ info: [UInt8] = []
    ) -> [UInt8] {
        [0x00, 0x00, 0x01, 0x00]  // ifi_family AF_UNSPEC, padding, ifi_type ARPHRD_ETHER
            + Samples.bytes(index)
            + Samples.bytes(UInt32(isUp ? 0x11043 : 0x1002))  // ifi_flags
            + Samples.bytes(UInt32(0))  // ifi_change
            + attribute(IFLA_IFNAME, Array(name.utf8) + [0])
            + attribute(IFLA_OPERSTATE, [isUp ? 6 : 2])
            + (master.map { attribute(IFLA_MASTER, Samples.bytes($0)) } ?? [])
            + info
    }

    /// A port of a bridge that forwards.
    static let port = link(3, "wlan0", master: 5, bridge(3))
}

@Suite("Ports of bonds, teams and bridges")
struct PortMessageTests {
    private static func port(master: [UInt8]?, _ info: [UInt8]) -> Port? {
        let bytes =
            PortSamples.link(3, "wlan0")
            + (master.map { PortSamples.attribute(IFLA_MASTER, $0) } ?? []) + info
        return LinkMessage.parse(bytes[...])?.link?.port
    }

    struct Row: Sendable, CustomTestStringConvertible {
        var info: [UInt8]
        var kind: Port.Kind
        var traffic: Port.Traffic
        var testDescription: String { "\(kind), \(traffic)" }
    }

    static let rows = [
        Row(info: PortSamples.bond(0), kind: .bond, traffic: .masters),
        Row(info: PortSamples.bond(1), kind: .bond, traffic: .none),
        Row(info: PortSamples.bond(7), kind: .bond, traffic: .none),
        Row(info: PortSamples.bridge(0), kind: .bridge, traffic: .none),
        Row(info: PortSamples.bridge(1), kind: .bridge, traffic: .pending),
        Row(info: PortSamples.bridge(2), kind: .bridge, traffic: .pending),
        Row(info: PortSamples.bridge(3), kind: .bridge, traffic: .masters),
        Row(info: PortSamples.bridge(4), kind: .bridge, traffic: .none),
        Row(
            info: PortSamples.info("vrf", PortSamples.attribute(IFLA_VRF_PORT_TABLE, [100, 0, 0, 0])),
            kind: .vrf, traffic: .own),
        Row(info: PortSamples.info("team", nil), kind: .team, traffic: .unknown),
        Row(info: PortSamples.info("openvswitch", nil), kind: .openvswitch, traffic: .unknown),
        // No known kernel sends these.
        Row(info: PortSamples.info("hsr", [1, 2, 3]), kind: .other, traffic: .unknown),
        Row(info: PortSamples.info("bond", nil), kind: .bond, traffic: .unknown),
        Row(info: PortSamples.info("bond", []), kind: .bond, traffic: .unknown),
        Row(
            info: PortSamples.info("bond", PortSamples.attribute(IFLA_BOND_SLAVE_STATE, [0, 0])), kind: .bond,
            traffic: .unknown),
        Row(
            info: PortSamples.info("bridge", PortSamples.attribute(IFLA_BRPORT_STATE, [])), kind: .bridge,
            traffic: .unknown),
        Row(info: PortSamples.info("", PortSamples.bond(0)), kind: .other, traffic: .unknown),
        Row(info: PortSamples.attribute(IFLA_LINKINFO, [0xff, 0xff, 4, 0]), kind: .other, traffic: .unknown),
        Row(info: [], kind: .other, traffic: .unknown),
    ]

    @Test(
        "whether a port passes traffic is read for each kind of master; unknown if the data is damaged",
        arguments: rows)
    func kinds(row: Row) {
        let port = Self.port(master: Samples.bytes(Int32(5)), row.info)
        #expect(port == Port(master: InterfaceIndex(rawValue: 5), kind: row.kind, traffic: row.traffic))
    }

    @Test("a link without a valid master is not a port")
    func noMaster() {
        for master in [nil, Samples.bytes(Int32(0)), Samples.bytes(Int32(-1)), [5, 0], []] as [[UInt8]?] {
            #expect(Self.port(master: master, PortSamples.bond(0)) == nil)
        }
    }

    @Test("a link message tells whether the link ever had a carrier")
    func carrier() {
        func hadCarrier(_ payload: [UInt8]) -> Bool? {
            let bytes = PortSamples.link(3, "wlan0") + PortSamples.attribute(IFLA_CARRIER_UP_COUNT, payload)
            return LinkMessage.parse(bytes[...])?.link?.hadCarrier
        }
        #expect(hadCarrier(Samples.bytes(UInt32(0))) == false)
        #expect(hadCarrier(Samples.bytes(UInt32(2))) == true)
        #expect(hadCarrier([1]) == nil)
        #expect(LinkMessage.parse(Samples.link[...])?.link?.hadCarrier == nil)
    }
}

/// The queries for the kernel state of a port, and the state that results.
@Suite("The kernel state of a port")
struct PortQueryTests {
    /// A kernel with these links, and with one address on each interface.
    /// - Parameter removed: the links that are removed as soon as they have been read.
    private static func kernel(_ links: [Int32: [UInt8]], removed: Set<Int32> = []) -> ScriptedKernel {
        ScriptedKernel { request, _ in
            let index = request.payload.dropFirst(4).structure(Int32.self) ?? 0
            var answers: [[UInt8]] = []
            switch Int(request.type) {
            case Int(RTM_GETLINK) where index == 0: break  // all VLANs
            case Int(RTM_GETLINK):
                guard let link = links[index] else { return [.success(request.acknowledgement(ENODEV))] }
                return [.success(Samples.message(type: RTM_NEWLINK, sequence: request.sequence, link))]
            case Int(RTM_GETADDR) where removed.contains(index):
                return [.success(request.acknowledgement(ENODEV))]
            case Int(RTM_GETADDR):
                var address = Samples.address
                address.replaceSubrange(4..<8, with: Samples.bytes(index))
                answers = [Samples.message(type: RTM_NEWADDR, sequence: request.sequence, address)]
            default: break
            }
            return answers.map { .success($0) } + [.success(request.done())]
        }
    }

    @MainActor
    private static func kernelState(
        _ links: [Int32: [UInt8]]
    ) async throws -> (state: KernelState, addressesOf: [Int32]) {
        try await kernelState(kernel(links))
    }

    @MainActor
    private static func kernelState(
        _ route: ScriptedKernel
    ) async throws -> (state: KernelState, addressesOf: [Int32]) {
        let generic = ScriptedKernel { request, _ in [.success(request.done())] }
        let commands = NetlinkCommands(
            .callingThread, route: route.transport, generic: generic.transport, requestTimeout: .seconds(60))
        let result = try await outcome { commands.kernelState(wlan, radio: { _ in .none }, $0) }
        return (try result.get(), addressesAsked(route))
    }

    /// The interfaces whose addresses were requested, in order.
    private static func addressesAsked(_ kernel: ScriptedKernel) -> [Int32] {
        kernel.requests.filter { $0[4] == UInt8(RTM_GETADDR) }
            .map { $0[20...].structure(Int32.self) ?? 0 }
    }

    @MainActor
    @Test("for a port that forwards, the addresses of its master are used")
    func bridge() async throws {
        let (state, asked) = try await Self.kernelState([
            3: PortSamples.port, 5: PortSamples.link(5, "br0"),
        ])
        let bridge = Port.Device(index: InterfaceIndex(rawValue: 5), name: "br0")
        #expect(state.link.port?.upper == bridge && state.link.port?.masterName == "br0")
        #expect(asked == [5] && state.addresses.count == 1 && state.fault == nil)
    }

    @MainActor
    @Test("if the master is itself a port, the addresses of the topmost master are used")
    func stacked() async throws {
        let bond = PortSamples.link(5, "bond0", master: 6, PortSamples.bridge(3))
        let (state, asked) = try await Self.kernelState([
            3: PortSamples.link(3, "wlan0", master: 5, PortSamples.bond(0)), 5: bond,
            6: PortSamples.link(6, "br0"),
        ])
        #expect(state.link.port?.masterName == "bond0" && state.link.port?.upper?.name == "br0")
        #expect(asked == [6])
        // The search ends even in a circle of masters, which no kernel builds.
        let circle = try await Self.kernelState([
            3: PortSamples.link(3, "wlan0", master: 5, PortSamples.bond(0)),
            5: PortSamples.link(5, "bond0", master: 3, PortSamples.bridge(3)),
        ])
        #expect(circle.state.link.port?.upper == nil && circle.addressesOf.isEmpty)
    }

    @MainActor
    @Test(
        "if a bond is in another mode than active-backup, an active port's traffic is unknown",
        arguments: [
            ([0], .unknown), ([1], .masters), ([4], .unknown), ([6], .unknown), ([], .masters),
            ([0, 0], .masters),
        ] as [([UInt8], Port.Traffic)])
    func modes(mode: [UInt8], traffic: Port.Traffic) async throws {
        let (state, asked) = try await Self.kernelState([
            3: PortSamples.link(3, "wlan0", master: 5, PortSamples.bond(0)),
            5: PortSamples.link(5, "bond0", PortSamples.bondMode(mode)),
        ])
        #expect(state.link.port?.traffic == traffic && state.link.port?.masterName == "bond0")
        #expect(asked == (traffic == .masters ? [5] : []) && state.fault == nil)
    }

    @MainActor
    @Test("a backup port, or a port whose master is missing or down, has no addresses and no fault")
    func backup() async throws {
        let backup = PortSamples.link(3, "wlan0", master: 5, PortSamples.bond(1))
        let active = PortSamples.link(3, "wlan0", master: 5, PortSamples.bond(0))
        for links in [
            [3: backup, 5: PortSamples.link(5, "bond0")],
            [3: active, 5: PortSamples.link(5, "bond0", isUp: false)],
            [3: active],
        ] as [[Int32: [UInt8]]] {
            let (state, asked) = try await Self.kernelState(links)
            #expect(asked.isEmpty && state.addresses.isEmpty && state.fault == nil)
            #expect(state.link.port?.upper == nil && state.link.port?.traffic == Port.Traffic.none)
            let evidence = state.evidence(since: nil, at: .boot)
            #expect(evidence.contains { if case .port = $0 { true } else { false } })
            #expect(!evidence.contains { if case .addresses = $0 { true } else { false } })
        }
    }

    @MainActor
    @Test("if the master is removed after the link was read, the link is read again")
    func masterRemoved() async throws {
        let before = Self.kernel([3: PortSamples.port, 5: PortSamples.link(5, "br0")], removed: [5])
        let after = Self.kernel([3: PortSamples.link(3, "wlan0")])
        let (state, asked) = try await Self.kernelState(
            ScriptedKernel { request, attempt in
                // The link, its master, and the master's addresses are read first.
                (attempt <= 3 ? before : after).answer(request, attempt)
            })
        #expect(state.link.port == nil && state.addresses.count == 1)
        #expect(asked == [5, 3])
    }

    @MainActor
    @Test("if the master was just removed, a snapshot has only the link's own items")
    func snapshotWithoutMaster() async throws {
        let kernel = Self.kernel([3: PortSamples.port, 5: PortSamples.link(5, "br0")], removed: [5])
        let generic = ScriptedKernel { request, _ in [.success(request.done())] }
        let commands = NetlinkCommands(
            .callingThread, route: kernel.transport, generic: generic.transport, requestTimeout: .seconds(60))
        let result = try await outcome { commands.takeSnapshot(of: wlan, $0) }
        #expect(try result.get().items.map(\.kind) == [.address])
        #expect(Self.addressesAsked(kernel) == [3, 5])
    }

    @MainActor
    @Test("an interface in a VRF keeps its own addresses")
    func vrf() async throws {
        let (state, asked) = try await Self.kernelState([
            3: PortSamples.link(3, "wlan0", master: 5, PortSamples.info("vrf", nil)),
            5: PortSamples.link(5, "vrf-guests"),
        ])
        #expect(asked == [3] && state.addresses.count == 1)
        #expect(state.link.port?.masterName == "vrf-guests" && state.link.port?.upper == nil)
    }

    @Test("the VRF of an interface is its master, unless the master is of another kind")
    func vrfOfMember() throws {
        for (info, vrf) in [(PortSamples.info("vrf", nil), 5), (PortSamples.bridge(3), nil)]
            as [([UInt8], Int32?)]
        {
            let kernel = Self.kernel([3: PortSamples.link(3, "wlan0", master: 5, info)])
            var conversation = Conversation(
                route: kernel.transport, generic: kernel.transport, sequence: 0,
                deadline: .now() + .seconds(60))
            #expect(try conversation.vrf(of: wlan)?.rawValue == vrf)
        }
    }

    @Test("a master's cached addresses are dropped if the link, the master or an unknown link changes")
    func cache() {
        let (master, other) = (InterfaceIndex(rawValue: 5), InterfaceIndex(rawValue: 6))
        var cache = AddressingCache()
        cache.isTold = true
        let addressing = AddressingState(index: master, addresses: [], gateways: [])
        for changed in [master, wlan, nil] {
            cache.keep(addressing, of: wlan, at: .boot, after: cache.changes)
            cache.changed(other)
            #expect(cache.value(of: wlan, at: .boot) == addressing)
            cache.changed(changed)
            #expect(cache.value(of: wlan, at: .boot) == nil)
        }
    }
}
