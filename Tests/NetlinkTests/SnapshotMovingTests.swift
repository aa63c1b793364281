import CNetlink
import Model
import Testing

@testable import Netlink

@Suite("A snapshot for an interface whose index has changed") struct SnapshotMovingTests {
    private static let old = InterfaceIndex(rawValue: 3)
    private static let new = InterfaceIndex(rawValue: 0x0102_0304)

    /// struct nlmsghdr before a payload.
    private static func message(_ payload: [UInt8]) -> [UInt8] {
        let header = nlmsghdr(
            nlmsg_len: UInt32(MemoryLayout<nlmsghdr>.size + payload.count), nlmsg_type: 16, nlmsg_flags: 0,
            nlmsg_seq: 0, nlmsg_pid: 0)
        return Array(of: header) + payload
    }

    private static func item(_ kind: Snapshot.Item.Kind, _ payload: [UInt8]) -> Snapshot.Item {
        Snapshot.Item(kind: kind, message: message(payload), description: "words", isAdministrators: true)
    }

    private static func hop(_ index: UInt8) -> [UInt8] {
        [0x10, 0, 0, 0, index, 0, 0, 0, 0x08, 0, 0x05, 0, 10, 9, 0, index]
    }

    private static let multipath: [UInt8] =
        [2, 24, 0, 0, 0xfe, 3, 0, 1, 0, 0, 0, 0] + [0x24, 0, UInt8(RTA_MULTIPATH.rawValue), 0] + hop(3)
        + hop(5)

    private static let powerSave: [UInt8] = [
        0x3d, 0, 0, 0,  // NL80211_CMD_SET_POWER_SAVE
        0x08, 0, UInt8(NL80211_ATTR_IFINDEX.rawValue), 0, 3, 0, 0, 0,
    ]

    /// The kind of an item, its payload, and the positions in the payload where an interface index begins.
    static let places: [(Snapshot.Item.Kind, [UInt8], [Int])] = [
        (.link, Samples.vlan, []), (.neighbour, Samples.permanentNeighbour, [4]),
        (.nextHop, Samples.nextHop, [20]), (.nextHop, Samples.resilientGroup, []),
        (.route, Samples.objectRoute, [40]), (.route, multipath, [20]), (.powerSave, powerSave, [8]),
        (.address, [2, 24, 0x80, 0, 3, 0, 0, 0, 8, 0, 2, 0, 3, 0, 0, 0], [4]),
        (.address, [2, 24, 0x80], []), (.powerSave, [0x3d], []), (.route, [], []),
    ]

    @Test("the interface index is replaced in each item, and nothing else is", arguments: places)
    func moved(_ kind: Snapshot.Item.Kind, _ payload: [UInt8], _ places: [Int]) {
        let before = Self.item(kind, payload)
        var expected = before
        for place in places {
            let start = MemoryLayout<nlmsghdr>.size + place
            expected.message.replaceSubrange(start..<start + 4, with: [4, 3, 2, 1])
        }
        let snapshot = Snapshot(items: [before])
        #expect(snapshot.moved(from: Self.old, to: Self.new).items == [expected])
        #expect(snapshot.moved(from: Self.old, to: Self.old) == snapshot)
        #expect(snapshot.moved(from: InterfaceIndex(rawValue: 99), to: Self.new) == snapshot)
    }

    @Test("a snapshot with one of the latest former indices gets the current index")
    func severalMoves() {
        func address(_ index: UInt8) -> Snapshot {
            Snapshot(items: [Self.item(.address, [2, 24, 0x80, 0, index, 0, 0, 0, 8, 0, 2, 0, 10, 9, 0, 1])])
        }
        func index(_ number: UInt8) -> InterfaceIndex { InterfaceIndex(rawValue: Int32(number)) }
        var former = FormerIndices()
        former.moved(from: index(5), to: index(6))
        former.moved(from: index(6), to: index(7))
        former.moved(from: index(6), to: index(7))  // the same return, noted twice
        for number: UInt8 in 5...7 {
            #expect(former.current(address(number), of: index(7)) == address(7))
        }
        #expect(former.current(address(4), of: index(7)) == address(4))
        #expect(former.current(address(5), of: index(8)) == address(5), "of another interface")

        for number: UInt8 in 7...30 { former.moved(from: index(number), to: index(number + 1)) }
        #expect(former.current(address(30), of: index(31)) == address(31))
        #expect(former.current(address(5), of: index(31)) == address(5), "too long ago")
    }
}
