/// Assembles messages from the pieces in which they arrive, up to a length.
public struct MessageBuffer: Sendable {
    /// The beginning of an incomplete message, after whole ones that are left for the next call.
    private var pending: [UInt8] = []
    /// So many of its first bytes contain no terminator: they are not searched again with each piece.
    private var searched = 0
    private let longest: Int

    /// - Parameter longest: in bytes, without the terminator.
    public init(longest: Int) { self.longest = longest }

    /// Whether a whole message is left.
    public var hasMessage: Bool { pending[searched...].contains(Varlink.end) }

    /// Takes received bytes.
    /// - Parameter most: how many messages to return; others are left for the next call.
    /// - Returns: the messages that are complete now, without their terminators; nil: one is too long, and
    ///   what follows cannot be parsed any more.
    public mutating func take(
        _ bytes: some Collection<UInt8>, atMost most: Int = .max
    ) -> [ArraySlice<UInt8>]? {
        pending += bytes
        var messages: [ArraySlice<UInt8>] = []
        var start = 0
        while messages.count < most {
            guard let end = pending[(start + searched)...].firstIndex(of: Varlink.end) else {
                searched = pending.count - start
                break
            }
            guard end - start <= longest else { return nil }
            messages.append(pending[start..<end])
            start = end + 1
            searched = 0
        }
        guard messages.count == most || pending.count - start <= longest else { return nil }
        if start > 0 { pending = Array(pending[start...]) }
        return messages
    }
}
