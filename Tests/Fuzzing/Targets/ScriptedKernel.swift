import Model

@testable import Netlink

/// A kernel that answers every request with the input, as one datagram, in which each message has the
/// expected sequence number.
final class ScriptedKernel: @unchecked Sendable {
    private let answer: [UInt8]
    /// The positions of the sequence numbers in the answer.
    private let places: [Int]
    private var sequence: [UInt8] = []
    private var isAnswered = true
    /// Bytes of the longest request that was sent.
    private(set) var longestRequest = 0

    /// The bytes of nlmsg_seq, and the size of struct nlmsghdr (netlink(7)).
    private static let sequenceRange = 8..<12
    private static let headerSize = 16

    init(answer: [UInt8]) {
        self.answer = answer
        places = Message.split(answer).map { $0.payload.startIndex - Self.headerSize }
    }

    /// A conversation with this kernel, without a deadline.
    func conversation() -> Conversation {
        let transport = Transport(
            send: { bytes throws(Failure) in self.take(bytes) },
            receive: { () throws(Failure) in self.give() },
            awaitDatagram: { _ in false })
        return Conversation(route: transport, generic: transport, sequence: 0, deadline: .distantFuture)
    }

    private func take(_ request: [UInt8]) {
        longestRequest = max(longestRequest, request.count)
        sequence = Array(request[Self.sequenceRange])
        isAnswered = false
    }

    private func give() -> [UInt8]? {
        guard !isAnswered else { return nil }
        isAnswered = true
        var bytes = answer
        for place in places {
            bytes.replaceSubrange(
                place + Self.sequenceRange.lowerBound..<place + Self.sequenceRange.upperBound, with: sequence)
        }
        return bytes
    }
}
