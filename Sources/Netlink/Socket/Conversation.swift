import CNetlink
import Dispatch
import Model

/// A series of requests to the kernel and their answers, one after the other, in code without callbacks. Use
/// it only where blocking is allowed: the kernel carries out a request inside send(2) and continues a dump
/// inside recv(2), and may wait for the RTNL lock there.
struct Conversation {
    /// The rtnetlink(7) socket.
    let route: Transport
    /// The generic netlink socket.
    let generic: Transport
    /// The number of nl80211 in generic netlink.
    let wirelessFamily: FamilyNumber
    /// After this time no request is sent, and no answer is awaited.
    let deadline: DispatchTime
    /// The sequence number of the last request.
    private(set) var sequence: UInt32

    /// The most attempts to read a dump whose table changes while it is read (NLM_F_DUMP_INTR).
    static let dumpAttempts = 5
    /// The most reads by which datagrams are discarded after a failure.
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

    /// Sends a request and returns the messages of the answer, without the final acknowledgement. Fails with
    /// the errno in the answer, with `.timedOut` at the deadline, or with `.lost` if the table changed during
    /// each attempt to read it.
    mutating func ask(_ request: Request, of transport: Transport) throws(Failure) -> [Message] {
        for _ in 1...Self.dumpAttempts {
            let answer = try askOnce(request, of: transport)
            if !request.isDump || !answer.isInconsistent { return answer.messages }
        }
        throw .inconsistent
    }

    /// Sends a request whose only answer is the acknowledgement.
    mutating func order(_ request: Request, of transport: Transport) throws(Failure) {
        _ = try ask(request, of: transport)
    }

    private mutating func askOnce(_ request: Request, of transport: Transport) throws(Failure) -> Answer {
        sequence &+= 1
        guard let bytes = request.bytes(sequence: sequence) else { throw .noMemory }
        var answer = Answer(sequence: sequence, isOneMessage: request.isForOneMessage)
        // After the deadline, the caller has been told that this request failed, so it must not be sent.
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

    /// Reads an abandoned dump to its end. Until then, the socket accepts no other dump (EBUSY).
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

/// The part of an answer that has arrived so far.
private struct Answer {
    /// The sequence number of the request.
    let sequence: UInt32
    /// Whether the answer ends with its first message.
    let isOneMessage: Bool
    var messages: [Message] = []
    var isInconsistent = false
    /// How the answer ended; nil while more messages are expected.
    var end: Result<Void, Failure>?

    init(sequence: UInt32, isOneMessage: Bool) {
        self.sequence = sequence
        self.isOneMessage = isOneMessage
    }

    /// Adds a message if it belongs to the request. Late answers to earlier requests are dropped.
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
