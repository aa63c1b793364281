/// Assembles messages from the pieces in which they arrive, up to a maximum length.
public struct MessageBuffer: Sendable {
    /// Whole messages that are left for the next call, followed by the beginning of an incomplete one.
    private var pending: [UInt8] = []
    /// The number of bytes at the start of `pending` that contain no terminator: they are not searched again
    /// with each piece.
    private var searched = 0
    private let longest: Int

    /// - Parameter longest: the longest message in bytes, without the terminator.
    public init(longest: Int) { self.longest = longest }

    /// Whether a whole message is left for the next call.
    public var hasMessage: Bool { pending[searched...].contains(Varlink.end) }

    /// Takes received bytes, and returns complete messages.
    /// - Parameter most: the most messages to return; others are left for the next call.
    /// - Returns: the messages that are complete now, without their terminators; nil: a message is too long,
    ///   so that what follows cannot be parsed.
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
