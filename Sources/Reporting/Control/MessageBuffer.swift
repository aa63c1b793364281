/// Assembles messages from the pieces in which they arrive, up to a length.
public struct MessageBuffer: Sendable {
    /// The beginning of an incomplete message.
    private var pending: [UInt8] = []
    private let longest: Int

    /// - Parameter longest: in bytes, without the terminator.
    public init(longest: Int) { self.longest = longest }

    /// Whether a whole message is left.
    public var hasMessage: Bool { pending.contains(Varlink.end) }

    /// Takes received bytes.
    /// - Parameter most: how many messages to return; others are left for the next call.
    /// - Returns: the messages that are complete now, without their terminators; nil: one is too long, and
    ///   what follows cannot be parsed any more.
    public mutating func take(
        _ bytes: some Collection<UInt8>, atMost most: Int = .max
    ) -> [ArraySlice<UInt8>]? {
        pending += bytes
        var messages: [ArraySlice<UInt8>] = []
        var start = pending.startIndex
        while messages.count < most, let end = pending[start...].firstIndex(of: Varlink.end) {
            guard end - start <= longest else { return nil }
            messages.append(pending[start..<end])
            start = end + 1
        }
        guard messages.count == most || pending.endIndex - start <= longest else { return nil }
        pending = Array(pending[start...])
        return messages
    }
}
