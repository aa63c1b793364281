import CNetlink
import Model
import Testing

@testable import Netlink

/// Shows that no bytes make a parser trap: a trap would end the process of the tests.
@Suite("Bytes that no kernel would send")
struct HostileBytesTests {
    private static let types = [
        Int(RTM_NEWLINK), Int(RTM_DELLINK), Int(RTM_NEWADDR), Int(RTM_NEWROUTE), Int(RTM_NEWNEIGH),
        Int(RTM_NEWNEXTHOP),
        Int(NLMSG_ERROR), Int(NLMSG_DONE),
    ]

    /// All parsers of bytes from outside.
    private func parseAll(_ payload: [UInt8]) {
        _ = LinkMessage.parse(payload[...])
        let address = AddressMessage.parse(payload[...])
        _ = OwnAddresses([address, AddressMessage.parse(Samples.address[...])].compactMap { $0 })
        _ = ForwardingRequest.parse(payload[...], on: InterfaceIndex(rawValue: 3))
        _ = RouteMessage.parse(payload[...])
        _ = NeighbourMessage.parse(payload[...])
        _ = Family.parse(payload[...])
        _ = InterfaceMessage.parse(payload[...])
        _ = StationMessage.parse(payload[...])
        _ = ScanMessage.parse(payload[...])
        _ = WirelessEvent.parse(payload[...])
        _ = ConnectionMessage.parse(payload[...])
        keepAll(payload)
    }

    /// An item saved for a bounce is described, requested, and parsed again from the request.
    private func keepAll(_ payload: [UInt8]) {
        let names = InterfaceNames()
        for kind in Self.kinds {
            guard let state = kind.init(payload[...]) else { continue }
            let item = state.item(names, nil)
            for message in Message.split(item.message) {
                #expect(kind.init(message.payload) != nil, "an order reads as what it orders")
            }
            let inventory = Inventory([state])
            _ = state.order(Comparison(before: inventory, now: Inventory()))
            _ = state.order(Comparison(before: inventory, now: inventory))
            _ = SavedLink.stacked(on: InterfaceIndex(rawValue: 3), in: inventory.links)
        }
    }

    private static var kinds: [any SavedState.Type] {
        [
            SavedLink.self, SavedAddress.self, SavedNeighbour.self, SavedNextHop.self, SavedRoute.self,
            SavedPowerSave.self,
        ]
    }

    private func splitAll(_ datagram: [UInt8]) -> Int {
        let messages = Message.split(datagram)
        for message in messages {
            _ = Acknowledgement.parse(message)
            _ = RouteEvents.notifications(of: message)
        }
        return messages.count
    }

    @Test("every sample message may be cut off anywhere without harm")
    func truncated() {
        for sample in Samples.all {
            for length in 0...sample.count { parseAll(Array(sample[..<length])) }
            for type in Self.types {
                let whole = Samples.message(type: type, flags: NLM_F_ACK_TLVS, sample)
                for length in 0..<(16 + sample.count) { #expect(splitAll(Array(whole[..<length])) == 0) }
                #expect(splitAll(whole) == 1)
            }
        }
    }

    @Test("a datagram whose last message lacks its padding is read to its end and no further")
    func missingPadding() {
        let whole = Samples.message(type: RTM_NEWLINK, [1, 2, 3])
        #expect(splitAll(whole + whole) == 2)
        #expect(splitAll(Array((whole + whole).dropLast())) == 2)
        let attributes: [UInt8] = [
            0x05, 0x00, 0x01, 0x00,  // nla_len 5, type 1
            0xff,  // payload, no padding
        ]
        #expect(Attributes(attributes[...]).all.count == 1)
    }

    @Test("random bytes are parsed without a crash", arguments: [1, 2, 3, 4] as [UInt64])
    func mutated(seed: UInt64) {
        var random = SplitMix64(state: seed)
        for _ in 0..<4000 {
            var sample = Samples.all.randomElement(using: &random) ?? []
            for _ in 0..<Int.random(in: 1...8, using: &random) {
                let place = Int.random(in: 0..<sample.count, using: &random)
                sample[place] = UInt8.random(in: 0...255, using: &random)
            }
            parseAll(sample)
            let type = Self.types.randomElement(using: &random) ?? 0
            let flags = Int32.random(in: 0...0xffff, using: &random)
            var datagram = Samples.message(type: type, flags: flags, sample)
            datagram[Int.random(in: 0..<4, using: &random)] ^= UInt8.random(in: 0...255, using: &random)
            _ = splitAll(datagram)
        }
    }

    @Test("an attribute of the wrong size counts as absent")
    func wrongSize() {
        var bytes = Samples.defaultRoute
        bytes[20] = 7  // RTA_PRIORITY's nla_len: three bytes
        #expect(RouteMessage.parse(bytes[...])?.metric == 0)
        bytes = Samples.address
        bytes[0] = 0x0a  // ifa_family AF_INET6, with addresses of four bytes
        #expect(AddressMessage.parse(bytes[...]) == nil)
    }
}
