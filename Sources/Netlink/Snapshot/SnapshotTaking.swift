import CNetlink
import Glibc
import Toggling

/// Keeping what a bounce loses, and putting it back.
extension Conversation {
    /// What is there now, as far as lowering the link could lose it.
    private struct Inventory {
        var addresses: [SavedAddress]
        var routes: [SavedRoute]
    }

    private mutating func inventory(of index: InterfaceIndex) throws(Failure) -> Inventory {
        let addresses = try ask(AddressRequest.of(index), of: route)
            .compactMap { $0.type == RTM_NEWADDR ? SavedAddress($0.payload, on: index) : nil }
        var routes: [SavedRoute] = []
        for family in [AF_INET, AF_INET6] {
            routes += try ask(RouteRequest.of(index, family: family), of: route)
                .compactMap { $0.type == RTM_NEWROUTE ? SavedRoute($0.payload) : nil }
                .filter { saved in saved.message.nextHops.contains { $0.index == index } }
        }
        return Inventory(addresses: addresses, routes: routes)
    }

    mutating func takeSnapshot(of index: InterfaceIndex) throws(Failure) -> Snapshot {
        let name = try link(index).name
        let inventory = try inventory(of: index)
        let routes = inventory.routes.filter { !$0.hasGateway } + inventory.routes.filter(\.hasGateway)
        return Snapshot(
            items: inventory.addresses.map { address in
                Snapshot.Item(
                    kind: .address, message: Self.bytes(address.request),
                    words: address.words(interfaceName: name),
                    isAdministrators: address.isAdministrators)
            }
                + routes.map { route in
                    Snapshot.Item(
                        kind: .route, message: Self.bytes(route.request),
                        words: route.words(interfaceName: name),
                        isAdministrators: route.isAdministrators)
                })
    }

    /// The message as it will be sent; its sequence number is set then.
    private static func bytes(_ request: Request) -> [UInt8] { request.bytes(sequence: 0) ?? [] }

    mutating func restore(
        _ snapshot: Snapshot, on index: InterfaceIndex, puttingBack: Bool
    ) throws(Failure) -> Restoration {
        let inventory = try inventory(of: index)
        let addresses = Set(inventory.addresses.map(\.identity))
        let routes = Set(inventory.routes.map(\.identity))
        var restoration = Restoration()
        for item in snapshot.items {
            guard let message = Message.split(item.message).first,
                isMissing(message, index, addresses, routes)
            else { continue }
            restoration.lost.append(item.words)
            guard puttingBack, item.isAdministrators else { continue }
            do {
                try order(Request(repeating: message), of: route)
                restoration.restored.append(item.words)
            } catch  where error.code == EEXIST {
                restoration.lost.removeLast()  // somebody else was quicker
            } catch {
                restoration.refused.append(Restoration.Refused(words: item.words, failure: error))
            }
        }
        return restoration
    }

    private func isMissing(
        _ message: Message, _ index: InterfaceIndex, _ addresses: Set<SavedAddress.Identity>,
        _ routes: Set<SavedRoute.Identity>
    ) -> Bool {
        if message.type == RTM_NEWADDR {
            return SavedAddress(message.payload, on: index).map { !addresses.contains($0.identity) } ?? false
        }
        return SavedRoute(message.payload).map { !routes.contains($0.identity) } ?? false
    }
}

extension Request {
    /// A message of the kernel's, sent back as an order.
    init(repeating message: Message) {
        type = message.type
        flags = message.flags
        header = Array(message.payload)
        attributes = []
    }
}
