import CNetlink
import Glibc
import Model

/// Restores the items that a bounce has destroyed.
extension Conversation {
    /// One missing item, and the request that creates it again.
    private struct Missing {
        var item: Snapshot.Item
        var state: any SavedState
        var order: Request
        var outcome: Outcome = .left
    }

    private enum Outcome {
        /// Not restored: the item is not this program's to restore (``Snapshot/isOurs(_:)``), or no restoring
        /// was requested, or another program has changed the item.
        case left
        case restored
        /// Another program has restored the item already.
        case there
        case refused(Failure)
    }

    /// Compares the interface with a snapshot and restores an administrator's items. Works in passes, until a
    /// pass restores nothing more: a route through a gateway can only be created after the route to the
    /// gateway. A repeated call restores only what is still missing.
    mutating func restore(
        _ snapshot: Snapshot, on index: InterfaceIndex, puttingBack: Bool
    ) throws(Failure) -> Restoration {
        let saved = snapshot.items.filter(snapshot.isMissed).compactMap { item in
            Self.state(of: item).map { (item, $0) }
        }
        let before = Inventory(saved.map(\.1))
        var comparison = Comparison(
            before: before, now: try inventory(now: before, index))
        if puttingBack, rearrange(saved.filter { snapshot.isLeft($0.0) }.map(\.1), comparison) {
            // Moving an address also removes its routes, so compare again.
            comparison = Comparison(
                before: before, now: try inventory(now: before, index))
        }
        var missing = saved.compactMap { item, state in
            state.order(comparison).map { Missing(item: item, state: state, order: $0) }
        }
        if puttingBack { putBack(&missing, comparison) { snapshot.isOurs($0) } }
        return Self.restoration(missing)
    }

    /// The items of a snapshot that do not belong to this interface, to its topmost master or to the links
    /// stacked on it: routes of other interfaces from its addresses (`takeSnapshot`), or forgeries.
    mutating func strangers(
        in snapshot: Snapshot, on index: InterfaceIndex
    ) throws(Failure) -> [Snapshot.Item] {
        let indices = [index, try topmostMaster(of: index)] + (try stackedLinks(on: index)).map(\.index)
        let scope = Set(indices.map(\.number))
        return snapshot.items.filter { Self.state(of: $0)?.concerns(scope) != true }
    }

    fileprivate static func state(of item: Snapshot.Item) -> (any SavedState)? {
        guard let message = Message.split(item.message).first else { return nil }
        switch item.kind {
        case .link: return SavedLink(message.payload)
        case .address: return SavedAddress(message.payload)
        case .neighbour: return SavedNeighbour(message.payload)
        case .nextHop: return SavedNextHop(message.payload)
        case .route: return SavedRoute(message.payload)
        case .powerSave: return SavedPowerSave(message.payload)
        }
    }

    private mutating func inventory(
        now before: Inventory, _ index: InterfaceIndex
    ) throws(Failure) -> Inventory {
        if before.powerSave != nil, wirelessFamily.value == nil {
            wirelessFamily.value = try family(named: NL80211_GENL_NAME)?.id
        }
        var now = try inventory(of: before.scope(index), before.topics)
        if !before.links.isEmpty { now.links = try stackedLinks(on: index) }
        return now
    }

    /// Moves the addresses of other programs behind those of the address owner again.
    /// - Parameter left: the items that are left to the address owner; empty if there is none.
    /// - Returns: whether any address had to be moved.
    private mutating func rearrange(
        _ left: [any SavedState], _ comparison: Comparison
    ) -> Bool {
        let provided = left.compactMap { ($0 as? SavedAddress)?.identity }
        guard let index = provided.first?.index else { return false }
        let misplaced = comparison.misplaced(beside: provided, on: index)
        for address in misplaced {
            do throws(Failure) {
                try order(address.removal, of: route)
                try order(address.request, of: route)
            } catch {
                continue  // If the address is missing now, the next comparison finds that.
            }
        }
        return !misplaced.isEmpty
    }

    private mutating func putBack(
        _ missing: inout [Missing], _ comparison: Comparison, _ isOurs: (Snapshot.Item) -> Bool
    ) {
        var open = missing.indices.filter { isOurs(missing[$0].item) }
        var isProgressing = true
        while isProgressing, !open.isEmpty {
            var refused: [Int] = []
            for place in open {
                missing[place].outcome = putBack(missing[place], comparison)
                if case .refused = missing[place].outcome { refused.append(place) }
            }
            isProgressing = refused.count < open.count
            open = refused
        }
    }

    private mutating func putBack(_ missing: Missing, _ comparison: Comparison) -> Outcome {
        do throws(Failure) {
            try order(missing.order, of: route(for: missing.item.kind))
            return .restored
        } catch {
            guard error.code == EEXIST else { return .refused(error) }
            guard let route = missing.state as? SavedRoute else { return .there }
            return putBack(route, comparison)
        }
    }

    private func route(for kind: Snapshot.Item.Kind) -> Transport { kind == .powerSave ? generic : route }

    /// Restores a route that could not be created because a route with the same identity exists on other
    /// interfaces. The existing route may be another program's, or the rest of a route with several next
    /// hops.
    private mutating func putBack(_ lost: SavedRoute, _ comparison: Comparison) -> Outcome {
        do throws(Failure) {
            let comparison = comparison.with(routes: try saved(RouteRequest.beside(lost)))
            switch comparison.ways(of: lost) {
            case .all: return .there
            case .others: return .left
            case .without where comparison.isGone(lost): return .left
            case .without:
                if let request = lost.order(comparison) { try order(request, of: route) }
                return .restored
            }
        } catch {
            return .refused(error)
        }
    }

    private static func restoration(_ missing: [Missing]) -> Restoration {
        var restoration = Restoration()
        for one in missing {
            let words = one.item.description
            switch one.outcome {
            case .there: continue
            case .left: break
            case .restored: restoration.restored.append(words)
            case .refused(let failure):
                restoration.refused.append(Restoration.Refused(description: words, failure: failure))
            }
            restoration.lost.append(words)
        }
        return restoration
    }
}

extension Snapshot {
    /// Whether the item is a route whose source is an address of this snapshot. `takeSnapshot` saves such routes
    /// of other interfaces, too.
    public func isFromOwnAddress(_ item: Item) -> Bool {
        guard let source = (Conversation.state(of: item) as? SavedRoute)?.source else { return false }
        return items.contains { (Conversation.state(of: $0) as? SavedAddress)?.identity.address == source }
    }
}
