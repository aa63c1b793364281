import CNetlink
import Dispatch
import Model

/// Requests and answers between one caller and the kernel, one after the other, in straight-line code. Runs
/// where blocking is harmless: the kernel carries a request out inside send(2), and continues a dump inside
/// recv(2), and may have to wait for the RTNL lock.
struct Conversation {
    /// rtnetlink(7).
    let route: Transport
    /// Generic netlink.
    let generic: Transport
    /// nl80211's number in generic netlink.
    let wirelessFamily: FamilyNumber
    /// After it no request is sent and no answer awaited.
    let deadline: DispatchTime
    /// Of the last request.
    private(set) var sequence: UInt32

    /// How often to repeat a dump that changes while it is read (NLM_F_DUMP_INTR).
    static let dumpAttempts = 5
    /// The most datagrams that are discarded after a failure.
    private static let leftoverLimit = 4096

    init(
        route: Transport, generic: Transport, wirelessFamily: FamilyNumber = FamilyNumber(),
        sequence: UInt32, deadline: DispatchTime
    ) {
        self.route = route
        self.generic = generic
        self.wirelessFamily = wirelessFamily
        self.sequence = sequence
        self.deadline = deadline
        route.begin()
        generic.begin()
    }

    /// Sends a request, and returns the messages of the answer without the final acknowledgement.
    mutating func ask(_ request: Request, of transport: Transport) throws(Failure) -> [Message] {
        for _ in 1...Self.dumpAttempts {
            let answer = try askOnce(request, of: transport)
            if !request.isDump || !answer.isInconsistent { return answer.messages }
        }
        throw .nonsense("the kernel's tables change faster than they can be read")
    }

    /// For requests without an answer beside the acknowledgement.
    mutating func order(_ request: Request, of transport: Transport) throws(Failure) {
        _ = try ask(request, of: transport)
    }

    private mutating func askOnce(_ request: Request, of transport: Transport) throws(Failure) -> Answer {
        sequence &+= 1
        guard let bytes = request.bytes(sequence: sequence) else {
            throw Failure(kind: .lost, description: "no memory for a message")
        }
        var answer = Answer(sequence: sequence, isOneMessage: request.isForOneMessage)
        // What its owner was already told to have failed must not be carried out later.
        guard DispatchTime.now() < deadline else { throw .noAnswer }
        try transport.send(bytes)
        do throws(Failure) {
            while answer.end == nil {
                for message in Message.split(try nextDatagram(from: transport)) { answer.add(message) }
            }
        } catch {
            discardLeftovers(of: transport)
            throw error
        }
        if case .failure(let failure) = answer.end { throw failure }
        return answer
    }

    private func nextDatagram(from transport: Transport) throws(Failure) -> [UInt8] {
        while true {
            if let datagram = try transport.receive() { return datagram }
            guard transport.awaitDatagram(deadline) else { throw .noAnswer }
        }
    }

    /// Reads an abandoned dump to its end: until then the socket accepts no other (EBUSY).
    private func discardLeftovers(of transport: Transport) {
        for _ in 0..<Self.leftoverLimit {
            do throws(Failure) {
                guard try transport.receive() != nil else { return }
            } catch {
                if error.kind != .lost { return }
            }
        }
    }
}

/// The state of an answer.
private struct Answer {
    /// Of the request.
    let sequence: UInt32
    /// The first message ends it.
    let isOneMessage: Bool
    var messages: [Message] = []
    var isInconsistent = false
    /// nil: more messages follow.
    var end: Result<Void, Failure>?

    init(sequence: UInt32, isOneMessage: Bool) {
        self.sequence = sequence
        self.isOneMessage = isOneMessage
    }

    /// Takes what belongs to the request; answers to earlier ones, that came too late, are dropped.
    mutating func add(_ message: Message) {
        guard message.sequence == sequence, end == nil else { return }
        if message.has(NLM_F_DUMP_INTR) { isInconsistent = true }
        end = Acknowledgement.parse(message)
        if end == nil, message.type >= NLMSG_MIN_TYPE {
            messages.append(message)
            if isOneMessage { end = .success(()) }
        }
    }
}
