import CNetlink
import Dispatch
import Glibc
import Model
import Synchronization

@testable import Netlink

/// A scripted kernel behind a transport: answers each request with the datagrams that a script makes.
final class ScriptedKernel: Sendable {
    private struct State {
        var requests: [[UInt8]] = []
        var waiting: [Result<[UInt8], Failure>] = []
    }

    private let state = Mutex(State())
    private let script: @Sendable (_ request: Message, _ attempt: Int) -> [Result<[UInt8], Failure>]

    init(_ script: @escaping @Sendable (Message, Int) -> [Result<[UInt8], Failure>]) {
        self.script = script
    }

    /// What was sent, in order.
    var requests: [[UInt8]] { state.withLock { $0.requests } }
    /// Unread datagrams.
    var unread: Int { state.withLock { $0.waiting.count } }

    /// The answer of the script, for a script that contains this one.
    func answer(_ request: Message, _ attempt: Int) -> [Result<[UInt8], Failure>] { script(request, attempt) }

    var transport: Transport {
        Transport(
            send: { bytes throws(Failure) in self.take(bytes) },
            receive: { () throws(Failure) in try self.give() },
            awaitDatagram: { _ in self.unread > 0 })
    }

    private func take(_ bytes: [UInt8]) {
        let header = 16
        for request in Message.split(bytes) {
            let attempt = state.withLock { state in
                state.requests.append(
                    Array(bytes[(request.payload.startIndex - header)..<request.payload.endIndex]))
                return state.requests.count
            }
            let answer = script(request, attempt)
            state.withLock { $0.waiting += answer }
        }
    }

    private func give() throws(Failure) -> [UInt8]? {
        let next = state.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }
        return try next?.get()
    }
}

extension Message {
    /// The acknowledgement of this request, with an errno.
    func acknowledgement(_ code: Int32 = 0) -> [UInt8] {
        Samples.message(
            type: NLMSG_ERROR, flags: 0, sequence: sequence,
            Samples.bytes(-code) + Array(repeating: 0, count: 16))
    }

    /// The end of this dump.
    func done(flags: Int32 = 0) -> [UInt8] {
        Samples.message(type: NLMSG_DONE, flags: flags, sequence: sequence, [0, 0, 0, 0])
    }

}
