import CNetlink
import Model

@testable import Netlink

/// A datagram of rtnetlink(7): links, addresses, routes, neighbours, acknowledgements.
enum RouteMessages {
    private static let headerSize = 16
    private static let index = InterfaceIndex(rawValue: 3)

    static func take(_ datagram: [UInt8]) {
        let messages = Message.split(datagram)
        let bytes = messages.reduce(0) { $0 + headerSize + $1.payload.count }
        demand(bytes <= datagram.count, "more messages than bytes")
        for message in messages { take(message) }
        hold(datagram)
    }

    private static func take(_ message: Message) {
        let payload = message.payload
        if case .failure(let failure)? = Acknowledgement.parse(message) {
            demand(!failure.description.isEmpty, "a failure without words")
        }
        _ = RouteEvents.notifications(of: message)
        _ = LinkMessage.parse(payload)?.link
        if let address = AddressMessage.parse(payload) {
            let own = OwnAddresses([address, address])
            demand(own.ipv4.count + own.omitted.count + own.ipv6.count <= 2, "an address made up")
        }
        _ = ForwardingRequest.parse(payload, on: index)
        if let entry = NeighbourMessage.parse(payload), let confirmed = entry.neighbour.confirmed {
            demand(confirmed >= .zero, "confirmed in the future: \(confirmed)")
        }
        if let route = RouteMessage.parse(payload) { check(route) }
        if let connection = ConnectionMessage.parse(payload) {
            demand(connection.heard ?? .zero >= .zero, "heard later")
        }
        for kind in saved { kind.init(payload).map { check($0, of: payload) } }
    }

    private static var saved: [any SavedState.Type] {
        [
            SavedLink.self, SavedAddress.self, SavedNeighbour.self, SavedNextHop.self, SavedRoute.self,
            SavedPowerSave.self,
        ]
    }

    private static func check(_ sign: Liveness, within duration: Duration) {
        demand(sign.heard >= .zero && sign.heard <= duration, "heard \(sign.heard) ago")
    }

    private static func check(_ route: RouteMessage) {
        let gateways = Conversation.gatewayAddresses(of: index, in: [route, route])
        demand(Set(gateways).count == gateways.count, "a gateway twice")
        demand(gateways.allSatisfy { !$0.isUnspecified }, "an unspecified gateway")
        demand(route.nextHops.allSatisfy { $0.index.rawValue > 0 }, "a next hop nowhere")
    }

    /// Parsing the request that restores an item gives the same description as the kernel's message, and the
    /// request is at most `added` bytes longer than that message.
    private static func check<State: SavedState>(_ state: State, of payload: Bytes) {
        // Labels and names are the administrator's text; they are escaped where they are printed.
        demand(!state.description(names).isEmpty, "without words")
        guard let bytes = state.request.bytes(sequence: 1) else { fatalError("no room for the order") }
        demand(
            bytes.count <= headerSize + padded(payload.count) + added, "\(bytes.count) of \(payload.count)")
        let messages = Message.split(bytes)
        demand(messages.count == 1, "\(messages.count) messages in an order")
        guard let again = State(messages[0].payload) else { fatalError("the order is no \(State.kind)") }
        demand(again.description(names) == state.description(names), "became '\(again.description(names))'")
        demand(again.isAdministrators == state.isAdministrators, "another owner")
        demand(again.indices == state.indices, "another interface")
    }

    /// The bytes that a request may contain beyond the kernel's message: a lifetime (RTA_EXPIRES), and the
    /// index of a Wi-Fi interface.
    private static let added = 16
    private static let names = InterfaceNames(known: [index: "wlan0"])

    private static func padded(_ count: Int) -> Int {
        let alignment = Int(NLMSG_ALIGNTO)
        return (count + alignment - 1) / alignment * alignment
    }

    /// Makes every request to rtnetlink, each answered with the input. An item that was just saved is not
    /// missing.
    private static func hold(_ datagram: [UInt8]) {
        let kernel = ScriptedKernel(answer: datagram)
        var conversation = kernel.conversation()
        _ = try? conversation.links()
        _ = try? conversation.addresses(of: index)
        _ = try? conversation.gateways(of: index)
        let duration = Duration.seconds(10)
        if let sign = try? conversation.neighbourAlive(on: index, within: duration) {
            check(sign, within: duration)
        }
        let sockets = (try? conversation.connections()) ?? []
        let heard = HeardConnection.all(over: index, within: duration, in: sockets)
        for sign in (try? conversation.liveness(of: heard, over: index)) ?? [] {
            check(sign, within: duration)
        }
        _ = try? conversation.neighbour(.v4(0x0a4d_0001), on: index)
        if let snapshot = try? conversation.takeSnapshot(of: index) {
            let restoration = try? conversation.restore(snapshot, on: index, puttingBack: true)
            demand(restoration?.lost.isEmpty ?? true, "lost at once: \(restoration?.lost ?? [])")
        }
        let longest = datagram.count + 1024
        demand(kernel.longestRequest <= longest, "a request of \(kernel.longestRequest) bytes")
    }
}
