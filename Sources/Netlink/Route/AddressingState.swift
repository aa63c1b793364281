import Model

/// What an interface has of addresses and gateways: most of what a check reads, and what seldom changes.
struct AddressingState: Equatable, Sendable {
    var addresses: [InterfaceAddress]
    /// In the order of `Conversation.gatewayAddresses(of:)`.
    var gateways: [IPAddress]
}

extension Conversation {
    mutating func addressing(of index: InterfaceIndex) throws(Failure) -> AddressingState {
        AddressingState(addresses: try addresses(of: index), gateways: try gatewayAddresses(of: index))
    }
}

/// The surroundings of interfaces as they were read last, for as long as the kernel has announced no change.
struct AddressingCache {
    private struct Entry {
        var addressing: AddressingState
        /// When it was read (CLOCK_BOOTTIME).
        var read: Instant
    }

    /// However silent the kernel is, what is older is read again.
    static let lifetime: Duration = .seconds(600)

    /// Whether changes are told of at all; otherwise nothing is known.
    var isTold = false {
        didSet { if !isTold { entries = [:] } }
    }
    private var entries: [InterfaceIndex: Entry] = [:]
    /// Counts what could make a reading old that is under way.
    private(set) var changes = 0

    func value(of index: InterfaceIndex, at now: Instant) -> AddressingState? {
        guard isTold, let entry = entries[index], now - entry.read < Self.lifetime else { return nil }
        return entry.addressing
    }

    /// - Parameter changes: what had changed when it was asked for.
    mutating func keep(
        _ addressing: AddressingState, of index: InterfaceIndex, at now: Instant, after changes: Int
    ) {
        guard isTold, changes == self.changes else { return }
        entries[index] = Entry(addressing: addressing, read: now)
    }

    /// nil: of every interface.
    mutating func changed(_ index: InterfaceIndex?) {
        changes += 1
        if let index { entries[index] = nil } else { entries = [:] }
    }
}
