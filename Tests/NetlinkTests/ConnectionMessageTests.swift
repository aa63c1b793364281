import CNetlink
import Dispatch
import Glibc
import Model
import Testing

@testable import Netlink

private let wlan = InterfaceIndex(rawValue: 3)
private let local = IPAddress.v4(0x0a4d_0002)
private let peer = IPAddress.v4(0xc000_0207)

@Suite("TCP connections as sock_diag reports them") final class ConnectionMessageTests {
    /// struct inet_diag_msg of a connection from 192.0.2.7 to port 22 of 10.77.0.2, and part of struct
    /// tcp_info.
    private static let established: [UInt8] = [
        0x02, 0x01, 0x00, 0x00,  // idiag_family AF_INET, idiag_state ESTABLISHED, idiag_timer, idiag_retrans
        0x00, 0x16, 0xc3, 0x50,  // idiag_sport 22, idiag_dport 50000
        0x0a, 0x4d, 0x00, 0x02, 0x00, 0x00, 0x00, 0x00,  // idiag_src 10.77.0.2
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0xc0, 0x00, 0x02, 0x07, 0x00, 0x00, 0x00, 0x00,  // idiag_dst 192.0.2.7
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00,  // idiag_if
        0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,  // idiag_cookie
        0x00, 0x00, 0x00, 0x00,  // idiag_expires
        0x00, 0x00, 0x00, 0x00,  // idiag_rqueue
        0x00, 0x00, 0x00, 0x00,  // idiag_wqueue
        0x00, 0x00, 0x00, 0x00,  // idiag_uid
        0x07, 0x00, 0x00, 0x00,  // idiag_inode
        0x40, 0x00, 0x02, 0x00,  // nla_len 64, INET_DIAG_INFO
        0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,  // tcpi_state, …, tcpi_probes 0, …
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x88, 0x13, 0x00, 0x00,  // tcpi_last_data_recv 5000 ms
        0xb8, 0x0b, 0x00, 0x00,  // tcpi_last_ack_recv 3000 ms
    ]

    /// A listening socket of root, on the local port of this connection.
    private static let listening: [UInt8] = {
        var bytes = Array(established[..<72])
        bytes[1] = 10  // TCP_LISTEN
        bytes.replaceSubrange(6..<40, with: Array(repeating: 0, count: 34))
        return bytes
    }()

    private static func changed(_ changes: (Int, UInt8)...) -> [UInt8] {
        var bytes = established
        for (position, value) in changes { bytes[position] = value }
        return bytes
    }

    private static func parse(_ bytes: [UInt8]) -> ConnectionMessage? { ConnectionMessage.parse(bytes[...]) }

    @Test("a message gives both ends, the port, the user and when the peer was last heard")
    func whole() throws {
        let message = try #require(Self.parse(Self.established))
        #expect(message.isEstablished && message.local == local && message.peer == peer)
        #expect(message.localPort == 22 && message.user == 0 && message.boundTo == nil)
        #expect(message.heard == .seconds(3) && !message.isUnanswered)
    }

    /// A connection that has received this many segments (tcpi_segs_in, 140 bytes into struct tcp_info), the
    /// last one this long ago.
    private static func heard(
        _ segments: UInt8, ago: [UInt8] = [0x0a, 0, 0, 0], _ changes: (Int, UInt8)...
    ) -> [UInt8] {
        var bytes = established
        bytes[72] = 0x94  // nla_len 148
        bytes.replaceSubrange(bytes.count - 8..<bytes.count, with: ago + ago)
        bytes += Array(repeating: 0, count: 72 + 4 + 140 - bytes.count) + [segments, 0, 0, 0]
        for (position, value) in changes { bytes[position] = value }
        return bytes
    }

    @Test("the number of received segments is read, and unknown in a shorter message")
    func segments() throws {
        #expect(Self.parse(Self.heard(5))?.segments == 5)
        #expect(Self.parse(Self.heard(5))?.heard == .milliseconds(10))
        #expect(Self.parse(Self.established)?.segments == nil)
        #expect(Self.parse(Array(Self.heard(5).dropLast()))?.segments == nil)
    }

    @Test(
        "a peer counts as heard if segments came recently on a connection that may use the interface"
    )
    func heardConnections() {
        func peers(_ sockets: [UInt8]..., vrf: InterfaceIndex? = nil) -> [IPAddress] {
            HeardConnection.all(
                over: wlan, vrf: vrf, within: .seconds(10), in: sockets.compactMap(Self.parse)
            )
            .map(\.peer)
        }
        let other = Self.heard(1, ago: [0, 0, 0, 0], (27, 9))
        #expect(peers(Self.heard(1)) == [peer])
        #expect(peers(Self.heard(0)) == [], "nothing came")
        #expect(peers(Self.established) == [], "it is not told whether anything came")
        #expect(peers(Self.heard(1, ago: [0x06, 0x27, 0, 0])) == [peer], "9990 ms")
        #expect(peers(Self.heard(1, ago: [0x07, 0x27, 0, 0])) == [], "may be 10 s with a tick")
        #expect(peers(Self.heard(1, (40, 3))) == [peer], "bound to it")
        #expect(peers(Self.heard(1, (40, 4))) == [], "bound to another")
        #expect(peers(Self.heard(1, (40, 4)), vrf: InterfaceIndex(rawValue: 4)) == [peer], "to its VRF")
        #expect(peers(Self.heard(1), vrf: InterfaceIndex(rawValue: 4)) == [peer], "bound to nothing")
        #expect(peers(Self.listening) == [])
        #expect(peers(Self.heard(1), Self.heard(1, (4, 1)), other) == [.v4(0xc000_0209), peer])
    }

    @Test("a connection with unacknowledged data or an unanswered keepalive counts as unanswered")
    func unanswered() {
        #expect(Self.parse(Self.changed((60, 9)))?.isUnanswered == true)  // idiag_wqueue
        #expect(Self.parse(Self.changed((79, 1)))?.isUnanswered == true)  // tcpi_probes
    }

    @Test("a mapped IPv6 address is read as IPv4, and a socket bound to an interface gives that interface")
    func mapped() throws {
        var bytes = Self.changed((0, 10), (40, 3))
        bytes.replaceSubrange(
            8..<40,
            with: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 10, 77, 0, 2]
                + [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 192, 0, 2, 7])
        let message = try #require(Self.parse(bytes))
        #expect(message.local == local && message.peer == peer && message.boundTo == wlan)
    }

    @Test("a message that is cut off, of another family or in another state gives no connection")
    func none() {
        for count in [0, 71] { #expect(Self.parse(Array(Self.established[..<count])) == nil) }
        #expect(Self.parse(Self.changed((0, 1))) == nil)
        #expect(Self.parse(Self.changed((1, 8))) == nil)  // TCP_CLOSE_WAIT
        #expect(Self.parse(Array(Self.established[..<72]))?.heard == nil)
    }

    @Test("a login is a root-owned connection from a known peer to a port on which root listens")
    func incoming() {
        func logins(_ peers: Set<IPAddress>, _ sockets: [UInt8]...) -> Int {
            IncomingConnection.all(from: peers, in: sockets.compactMap(Self.parse)).count
        }
        let otherUser = Self.changed((64, 1))
        var otherListener = Self.listening
        otherListener[64] = 1
        #expect(logins([peer], Self.established, Self.listening) == 1)
        #expect(logins([.v4(1)], Self.established, Self.listening) == 0)
        #expect(logins([peer], Self.established) == 0)
        #expect(logins([peer], Self.changed((5, 23)), Self.listening) == 0)
        #expect(logins([peer], otherUser, Self.listening) == 0)
        #expect(logins([peer], Self.established, otherListener) == 0)
    }

    // MARK: Logins

    /// The logins that a kernel with this connection yields. Each route look-up gives a route through the
    /// interface `wayOut`, or none; the list of addresses has the connection's local address only if
    /// `ownsAddress`.
    private func logins(
        _ connection: [UInt8] = established, wayOut: Int32?, ownsAddress: Bool = true,
        vrf: InterfaceIndex? = nil
    ) throws -> [Login] {
        let sockets = ScriptedKernel { request, attempt in
            guard attempt == 1 else { return [.success(request.done())] }
            return [connection, Self.listening].map { .success(Self.message(request, $0)) }
                + [.success(request.done())]
        }
        let kernel = ScriptedKernel { request, _ in
            if request.type == RTM_GETROUTE {
                guard let wayOut else { return [.success(request.acknowledgement(ENETUNREACH))] }
                var route = Samples.defaultRoute
                route.replaceSubrange(route.count - 4..<route.count, with: Samples.bytes(wayOut))
                return [
                    .success(Self.message(request, type: RTM_NEWROUTE, route)),
                    .success(request.acknowledgement()),
                ]
            }
            let address = ownsAddress ? [Self.message(request, type: RTM_NEWADDR, Samples.address)] : []
            return (address + [request.done()]).map { .success($0) }
        }
        func conversation(_ kernel: ScriptedKernel) -> Conversation {
            Conversation(
                route: kernel.transport, generic: kernel.transport, sequence: 0,
                deadline: .now() + .seconds(60))
        }
        var routes = conversation(kernel)
        var diagnosis = conversation(sockets)
        return try routes.logins(from: [peer], over: wlan, vrf: vrf, &diagnosis)
    }

    private static func message(_ request: Message, type: Int? = nil, _ payload: [UInt8]) -> [UInt8] {
        Samples.message(type: Int32(type ?? Int(request.type)), sequence: request.sequence, payload)
    }

    @Test(
        "a login is over the interface of the route to its peer; without a route, of its local address"
    )
    func interface() throws {
        let login = Login(peer: peer, heard: .seconds(3), isUnanswered: false)
        #expect(try logins(wayOut: 3) == [login])
        #expect(try logins(wayOut: 4).isEmpty)
        #expect(try logins(wayOut: nil) == [login])
        #expect(try logins(wayOut: nil, ownsAddress: false).isEmpty)
    }

    @Test("a login whose socket is bound to the interface's VRF is over the interface of the VRF's route")
    func interfaceInVRF() throws {
        let login = Login(peer: peer, heard: .seconds(3), isUnanswered: false)
        let vrf = InterfaceIndex(rawValue: 5)
        let bound = Self.changed((40, 5))
        #expect(try logins(bound, wayOut: 3).isEmpty, "of another VRF")
        #expect(try logins(bound, wayOut: 3, vrf: vrf) == [login])
        #expect(try logins(bound, wayOut: 4, vrf: vrf).isEmpty, "another interface of the VRF")
        #expect(try logins(bound, wayOut: nil, vrf: vrf) == [login])
        #expect(try logins(Self.changed((40, 4)), wayOut: 3, vrf: vrf).isEmpty, "bound to another")
    }

    // MARK: Liveness

    /// How many route look-ups the last query made.
    private var lookups = 0

    /// The liveness evidence from this many connections.
    /// - Parameter change: changes the route that a look-up gets (its number, the route); empty: no route.
    private func liveness(
        _ connections: Int = 1, _ change: @escaping @Sendable (Int, inout [UInt8]) -> Void
    ) throws -> [Liveness] {
        let kernel = ScriptedKernel { request, attempt in
            var route = Samples.defaultRoute
            change(attempt, &route)
            guard !route.isEmpty else { return [.success(request.acknowledgement(ENETUNREACH))] }
            return [
                .success(Self.message(request, type: RTM_NEWROUTE, route)),
                .success(request.acknowledgement()),
            ]
        }
        var conversation = Conversation(
            route: kernel.transport, generic: kernel.transport, sequence: 0, deadline: .now() + .seconds(60))
        let heard = (0..<connections).map {
            HeardConnection(
                local: local, peer: .v4(UInt32($0)), boundTo: nil, heard: .milliseconds(Int64($0)))
        }
        defer { lookups = kernel.requests.count }
        return try conversation.liveness(of: heard, over: wlan)
    }

    @Test(
        "a heard connection counts as on the link or beyond a gateway, but not if over another interface"
    )
    func lifeOnTheWay() throws {
        let beyond = Liveness(peer: .v4(0), manner: .connectionBeyond, heard: .zero)
        #expect(try liveness { _, _ in } == [beyond])
        #expect(try liveness { $1[8] = 0x02 } == [beyond], "RTM_F_CLONED, as in answers to look-ups")
        #expect(try liveness { $1[30] = 0xff } == [Liveness(peer: .v4(0), manner: .connection, heard: .zero)])
        #expect(try liveness { $1[$1.count - 4] = 4 } == [], "another interface")
        #expect(try liveness { $1[7] = 2 } == [], "RTN_LOCAL")
        #expect(try liveness { $1 = [] } == [], "no way")
    }

    @Test("the latest connection of each kind is found, with at most 64 route look-ups")
    func lifeOfMany() throws {
        let signs = try liveness(100) { attempt, route in if attempt > 2 { route[30] = 0xff } }
        #expect(signs.map(\.heard) == [.zero, .milliseconds(2)])
        _ = try liveness(1000) { $1 = [] }
        #expect(lookups == 64)
    }

    @Test("a connection whose socket is bound to an interface is over that interface")
    func bound() throws {
        #expect(try logins(Self.changed((40, 3)), wayOut: 4).count == 1)
        #expect(try logins(Self.changed((40, 5)), wayOut: 3).isEmpty)
    }
}
