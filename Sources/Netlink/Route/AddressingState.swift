import Model

/// The addresses and gateways of an interface. They are most of what a check reads and they seldom change, so
/// they are cached.
struct AddressingState: Equatable, Sendable {
    var index: InterfaceIndex
    var addresses: [InterfaceAddress]
    /// The gateways, in the order of `Conversation.gatewayAddresses(of:)`.
    var gateways: [IPAddress]
}

extension Conversation {
    mutating func addressing(of index: InterfaceIndex) throws(Failure) -> AddressingState {
        AddressingState(
            index: index, addresses: try addresses(of: index), gateways: try gatewayAddresses(of: index))
    }
}

/// A cache of the addressing states that were read last. An entry is valid until the kernel announces a
/// change. The entry of a port may hold the addressing state of its master.
struct AddressingCache {
    private struct Entry {
        var addressing: AddressingState
        /// When it was read, as a time of CLOCK_BOOTTIME.
        var read: Instant
    }

    /// The greatest age of an entry. An older state is read again, even if no change was announced.
    static let lifetime: Duration = .seconds(600)

    /// Whether a monitor reports changes to this cache. If not, the cache stays empty.
    var isTold = false {
        didSet { if !isTold { entries = [:] } }
    }
    private var entries: [InterfaceIndex: Entry] = [:]
    /// Counts the reported changes. If a change is reported during a read, the value that was read is
    /// outdated.
    private(set) var changes = 0

    func value(of index: InterfaceIndex, at now: Instant) -> AddressingState? {
        guard isTold, let entry = entries[index], now - entry.read < Self.lifetime else { return nil }
        return entry.addressing
    }

    /// Stores a state that was read.
    /// - Parameter changes: the value of ``changes`` when the state was requested.
    mutating func keep(
        _ addressing: AddressingState, of index: InterfaceIndex, at now: Instant, after changes: Int
    ) {
        guard isTold, changes == self.changes else { return }
        entries[index] = Entry(addressing: addressing, read: now)
    }

    /// Drops the entries of an interface and of the ports that use its addresses; nil drops all entries.
    mutating func changed(_ index: InterfaceIndex?) {
        changes += 1
        entries = entries.filter { key, entry in
            index != nil && key != index && entry.addressing.index != index
        }
    }
}
