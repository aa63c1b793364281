import CNetlink
import Model
import Testing

@testable import Netlink

@Suite("Which addresses and routes the address owner provides") struct ConfigSourceTests {
    private static let index = InterfaceIndex(rawValue: 3)

    /// A message of RTM_NEWADDR.
    private func address(_ text: String, _ length: UInt8, _ flags: Int32, on index: UInt8 = 3) throws
        -> SavedAddress
    {
        let address = try #require(IPAddress(text))
        let family = address.bytes.count == 4 ? AF_INET : AF_INET6
        var bytes: [UInt8] = [UInt8(family), length, UInt8(truncatingIfNeeded: flags), 0, index, 0, 0, 0]
        for type in [IFA_ADDRESS, IFA_LOCAL] {
            bytes += [UInt8(4 + address.bytes.count), 0, UInt8(type), 0] + address.bytes
        }
        bytes += [8, 0, UInt8(IFA_FLAGS), 0] + withUnsafeBytes(of: UInt32(flags)) { Array($0) }
        return try #require(SavedAddress(bytes[...]))
    }

    /// A default route of IPv4.
    private func defaultRoute(via gateway: String, table: UInt8 = 254, on index: UInt8 = 3) throws
        -> SavedRoute
    {
        let bytes: [UInt8] =
            [2, 0, 0, 0, table, UInt8(RTPROT_BOOT), 0, 1, 0, 0, 0, 0, 8, 0, UInt8(RTA_GATEWAY.rawValue), 0]
            + (try #require(IPAddress(gateway))).bytes + [8, 0, UInt8(RTA_OIF.rawValue), 0, index, 0, 0, 0]
        return try #require(SavedRoute(bytes[...]))
    }

    /// A route of IPv6 to one address.
    private func route(to destination: String, by made: Int32) throws -> SavedRoute {
        let bytes: [UInt8] =
            [
                UInt8(AF_INET6), 128, 0, 0, 254, UInt8(made), 0, 1, 0, 0, 0, 0, 20, 0,
                UInt8(RTA_DST.rawValue), 0,
            ]
            + (try #require(IPAddress(destination))).bytes + [8, 0, UInt8(RTA_OIF.rawValue), 0, 3, 0, 0, 0]
        return try #require(SavedRoute(bytes[...]))
    }

    @Test("an address that expires, has the gateway's subnet or lacks an IPv6 prefix route is the owner's")
    func addresses() throws {
        let rows: [(String, UInt8, Int32, ConfigSource?)] = [
            ("10.77.0.101", 24, 0, .provided), ("10.77.0.101", 24, IFA_F_PERMANENT, .provided),
            ("10.77.0.101", 24, IFA_F_PERMANENT | IFA_F_SECONDARY, nil),
            ("10.77.0.101", 32, IFA_F_PERMANENT, nil), ("10.77.1.101", 24, IFA_F_PERMANENT, nil),
            ("10.77.1.101", 23, IFA_F_PERMANENT, .provided), ("10.77.0.129", 25, IFA_F_PERMANENT, nil),
            ("fd77::1", 64, 0, .provided), ("fd77::1", 64, IFA_F_PERMANENT, nil),
            ("fd77::1", 64, IFA_F_PERMANENT | IFA_F_NOPREFIXROUTE, .provided),
            ("10.77.1.101", 24, IFA_F_PERMANENT | IFA_F_NOPREFIXROUTE, nil),
            ("fe80::1", 64, 0, .linkLocal), ("fe80::1", 64, IFA_F_PERMANENT, nil),
            ("fe80::1", 64, IFA_F_PERMANENT | IFA_F_NOPREFIXROUTE, .linkLocal),
            ("febf::1", 64, IFA_F_PERMANENT | IFA_F_NOPREFIXROUTE, .linkLocal),
            ("fec0::1", 64, IFA_F_PERMANENT | IFA_F_NOPREFIXROUTE, .provided),
            ("fec0::1", 64, IFA_F_PERMANENT, nil),
        ]
        let inventory = Inventory(routes: [try defaultRoute(via: "10.77.0.1")])
        for (text, length, flags, expected) in rows {
            let found = inventory.configSource(try address(text, length, flags), on: Self.index)
            #expect(found == expected, "\(text)/\(length) \(flags)")
        }
        let elsewhere = try address("10.77.0.101", 24, 0, on: 4)
        #expect(inventory.configSource(elsewhere, on: Self.index) == nil, "of an interface on top of ours")
        let without = Inventory(routes: [try defaultRoute(via: "10.77.0.1", table: 100)])
        #expect(without.configSource(try address("10.77.0.101", 24, IFA_F_PERMANENT), on: Self.index) == nil)
    }

    @Test(
        "a default route of the main table counts as provided, a link-local route as the owner's own")
    func routes() throws {
        let none = Inventory()
        #expect(none.configSource(try defaultRoute(via: "10.77.0.1"), on: Self.index) == .provided)
        #expect(none.configSource(try defaultRoute(via: "10.77.0.1", table: 100), on: Self.index) == nil)
        #expect(none.configSource(try defaultRoute(via: "10.77.0.1", on: 4), on: Self.index) == nil)
        let router = { (made: Int32) in try route(to: "fe80::1", by: made) }
        #expect(none.configSource(try router(RTPROT_RA), on: Self.index) == .linkLocal)
        #expect(none.configSource(try router(RTPROT_STATIC), on: Self.index) == nil, "by hand")
        #expect(none.configSource(try route(to: "fec0::1", by: RTPROT_RA), on: Self.index) == nil)
        let other = try #require(SavedRoute(Samples.expiringRoute[...]))
        #expect(none.configSource(other, on: Self.index) == nil)
    }

    @Test("an address is misplaced if it was listed after the owner's address, and now is before it")
    func misplaced() throws {
        let own = try address("10.77.0.101", 24, 0)
        let renewed = try address("10.77.0.102", 24, 0)
        let foreign = try address("10.99.9.9", 32, IFA_F_PERMANENT)
        let first = try address("10.99.9.8", 32, IFA_F_PERMANENT)
        func misplaced(_ before: [SavedAddress], _ now: [SavedAddress]) -> [String] {
            Comparison(before: Inventory(addresses: before), now: Inventory(addresses: now))
                .misplaced(beside: [own.identity], on: Self.index)
                .map { $0.description(InterfaceNames(known: [Self.index: "wlan0"])) }
        }
        let words = ["inet 10.99.9.9/32 dev wlan0"]
        #expect(misplaced([own, foreign], [foreign, own]) == words)
        #expect(misplaced([own, foreign], [foreign, renewed]) == words, "it has another address now")
        #expect(misplaced([own, foreign], [own, foreign]).isEmpty)
        #expect(misplaced([own, foreign], [foreign]).isEmpty, "it has none yet")
        #expect(misplaced([own, foreign], [own]).isEmpty)
        #expect(misplaced([first, own, foreign], [first, foreign, own]) == words)
        #expect(misplaced([foreign, own], [foreign, own]).isEmpty, "as it was")
        let second = try address("10.77.0.101", 24, IFA_F_SECONDARY)
        #expect(misplaced([own, foreign], [foreign, second]).isEmpty)
    }
}
