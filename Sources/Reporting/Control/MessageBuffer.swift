/// Puts messages together from the pieces in which they come, as long as none grows too long.
public struct MessageBuffer: Sendable {
    /// The beginning of a message whose end has not come.
    private var pending: [UInt8] = []
    private let longest: Int

    /// - Parameter longest: in bytes, without the end.
    public init(longest: Int) { self.longest = longest }

    /// Takes what came.
    /// - Returns: the messages that are whole now, without their ends; nil: one is too long, and nothing of
    ///   what follows can be told apart any more.
    public mutating func take(_ bytes: some Collection<UInt8>) -> [ArraySlice<UInt8>]? {
        pending += bytes
        var messages: [ArraySlice<UInt8>] = []
        var start = pending.startIndex
        while let end = pending[start...].firstIndex(of: Varlink.end) {
            guard end - start <= longest else { return nil }
            messages.append(pending[start..<end])
            start = end + 1
        }
        guard pending.endIndex - start <= longest else { return nil }
        pending = Array(pending[start...])
        return messages
    }
}
