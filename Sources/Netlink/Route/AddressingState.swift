import Model

/// Addresses and gateways of an interface: most of what a check reads, and what seldom changes.
struct AddressingState: Equatable, Sendable {
    var index: InterfaceIndex
    var addresses: [InterfaceAddress]
    /// In the order of `Conversation.gatewayAddresses(of:)`.
    var gateways: [IPAddress]
}

extension Conversation {
    mutating func addressing(of index: InterfaceIndex) throws(Failure) -> AddressingState {
        AddressingState(
            index: index, addresses: try addresses(of: index), gateways: try gatewayAddresses(of: index))
    }
}

/// The addressing state of interfaces as it was read last, valid until the kernel announces a change. That of a
/// port may be its master's.
struct AddressingCache {
    private struct Entry {
        var addressing: AddressingState
        /// When it was read (CLOCK_BOOTTIME).
        var read: Instant
    }

    /// An older state is read again, even if no change was announced.
    static let lifetime: Duration = .seconds(600)

    /// Whether changes are announced at all; otherwise the cache is empty.
    var isTold = false {
        didSet { if !isTold { entries = [:] } }
    }
    private var entries: [InterfaceIndex: Entry] = [:]
    /// Counts the changes that can make a reading under way outdated.
    private(set) var changes = 0

    func value(of index: InterfaceIndex, at now: Instant) -> AddressingState? {
        guard isTold, let entry = entries[index], now - entry.read < Self.lifetime else { return nil }
        return entry.addressing
    }

    /// - Parameter changes: the count when the state was requested.
    mutating func keep(
        _ addressing: AddressingState, of index: InterfaceIndex, at now: Instant, after changes: Int
    ) {
        guard isTold, changes == self.changes else { return }
        entries[index] = Entry(addressing: addressing, read: now)
    }

    /// nil: of every interface.
    mutating func changed(_ index: InterfaceIndex?) {
        changes += 1
        entries = entries.filter { key, entry in
            index != nil && key != index && entry.addressing.index != index
        }
    }
}
