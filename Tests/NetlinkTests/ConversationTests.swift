import CNetlink
import Dispatch
import Glibc
import Model
import Testing

@testable import Netlink

private let wlan = InterfaceIndex(rawValue: 3)

private func conversation(with kernel: ScriptedKernel, sequence: UInt32 = 0) -> Conversation {
    Conversation(
        route: kernel.transport, generic: kernel.transport, sequence: sequence,
        deadline: .now() + .seconds(60))
}

private func link(_ request: Message, flags: Int32 = 0) -> Result<[UInt8], Failure> {
    .success(
        Samples.message(type: RTM_NEWLINK, flags: flags, sequence: request.sequence, Samples.link))
}

@Suite("A netlink conversation with the kernel")
struct ConversationTests {
    @Test("a request whose answer is followed by an acknowledgement returns the answer's value")
    func answered() throws {
        let kernel = ScriptedKernel { request, _ in [link(request), .success(request.acknowledgement())] }
        var conversation = conversation(with: kernel)
        #expect(try conversation.link(wlan).name == "wlan0")
    }

    @Test("a late answer to an earlier request is dropped")
    func lateAnswer() throws {
        let kernel = ScriptedKernel { request, _ in
            let late = Samples.message(
                type: NLMSG_ERROR, sequence: request.sequence - 1, Samples.kernelError)
            return [.success(late), link(request), .success(request.acknowledgement())]
        }
        var conversation = conversation(with: kernel, sequence: 41)
        #expect(try conversation.link(wlan).index == wlan)
        #expect(conversation.sequence == 42)
    }

    @Test("the sequence number wraps around")
    func sequenceWraps() throws {
        let kernel = ScriptedKernel { request, _ in [link(request), .success(request.acknowledgement())] }
        var conversation = conversation(with: kernel, sequence: .max)
        #expect(try conversation.link(wlan).index == wlan)
    }

    @Test("an errno from the kernel is returned as the failure")
    func refused() {
        let kernel = ScriptedKernel { request, _ in [.success(request.acknowledgement(ERFKILL))] }
        var conversation = conversation(with: kernel)
        let failure = #expect(throws: Failure.self) {
            try conversation.setAdministrativeState(up: true, of: wlan)
        }
        #expect(failure?.kind == .radioBlocked)
    }

    @Test("a dump that was interrupted by a change is requested again")
    func interruptedOnce() throws {
        let kernel = ScriptedKernel { request, attempt in
            let flags = attempt == 1 ? NLM_F_DUMP_INTR : 0
            return [link(request, flags: flags), .success(request.done())]
        }
        var conversation = conversation(with: kernel)
        #expect(try conversation.links().count == 1)
        #expect(kernel.requests.count == 2)
    }

    @Test("a dump that is interrupted every time is given up")
    func interruptedAlways() {
        let kernel = ScriptedKernel { request, _ in [.success(request.done(flags: NLM_F_DUMP_INTR))] }
        var conversation = conversation(with: kernel)
        let failure = #expect(throws: Failure.self) { try conversation.links() }
        #expect(failure?.kind == .lost)
        #expect(kernel.requests.count == Conversation.dumpAttempts)
    }

    @Test("an overrun within a dump discards the answer, and leaves nothing in the socket")
    func overrun() throws {
        let kernel = ScriptedKernel { request, attempt in
            let lost: [Result<[UInt8], Failure>] = [link(request), .failure(Failure(errno: ENOBUFS))]
            return (attempt == 1 ? lost : []) + [link(request), .success(request.done())]
        }
        var conversation = conversation(with: kernel)
        let failure = #expect(throws: Failure.self) { try conversation.links() }
        #expect(failure?.kind == .lost)
        #expect(kernel.unread == 0)
        #expect(try conversation.links().count == 1)
    }

    @Test("a request without an answer fails at the deadline")
    func silence() {
        let kernel = ScriptedKernel { _, _ in [] }
        var conversation = conversation(with: kernel)
        let failure = #expect(throws: Failure.self) { try conversation.links() }
        #expect(failure?.kind == .timedOut)
    }

    @Test("no request is sent after the deadline")
    func pastDeadline() {
        let kernel = ScriptedKernel { request, _ in [.success(request.acknowledgement())] }
        var conversation = Conversation(
            route: kernel.transport, generic: kernel.transport, sequence: 0, deadline: .now())
        let failure = #expect(throws: Failure.self) {
            try conversation.setAdministrativeState(up: false, of: wlan)
        }
        #expect(failure?.kind == .timedOut)
        #expect(kernel.requests.isEmpty)
    }

    @Test("an impossible interface name fails without a request", arguments: ["", "wlan0\0x"])
    func impossibleName(name: String) {
        let kernel = ScriptedKernel { _, _ in [] }
        var conversation = conversation(with: kernel)
        let failure = #expect(throws: Failure.self) { try conversation.link(named: name) }
        #expect(failure?.kind == .noSuchDevice)
        #expect(kernel.requests.isEmpty)
    }

    @Test(
        "a neighbour is verified, or resolved anew, unless the kernel is already doing so",
        arguments: [
            (Neighbour.State.reachable, 2), (.stale, 2), (.delay, 2), (.none, 2), (.failed, 2),
            (.probe, 1), (.incomplete, 1),
        ])
    func neighbourQuestion(state: Neighbour.State, requests: Int) throws {
        let kernel = ScriptedKernel { request, _ in
            let entry = Samples.message(
                type: RTM_NEWNEIGH, sequence: request.sequence, neighbour(in: state))
            let answer: [Result<[UInt8], Failure>] =
                Int(request.type) == Int(RTM_GETNEIGH) ? [.success(entry)] : []
            return answer + [.success(request.acknowledgement())]
        }
        var conversation = conversation(with: kernel)
        try conversation.verifyNeighbour(.v4(0x0a4d_0001), on: wlan)
        #expect(kernel.requests.count == requests)
        if requests == 2 { #expect((kernel.requests[1][24] == 0x10) == state.isVerifiable) }  // NUD_PROBE
    }

    @Test(
        "only an incomplete neighbour entry is reset and resolved anew, any other entry is left alone",
        arguments: Neighbour.State.allCases)
    func askedAgain(state: Neighbour.State) throws {
        let kernel = ScriptedKernel { request, _ in
            let entry = Samples.message(
                type: RTM_NEWNEIGH, sequence: request.sequence, neighbour(in: state))
            let answer: [Result<[UInt8], Failure>] =
                Int(request.type) == Int(RTM_GETNEIGH) ? [.success(entry)] : []
            return answer + [.success(request.acknowledgement())]
        }
        var conversation = conversation(with: kernel)
        try conversation.resolveNeighbours(for: .v4(0x0a4d_0001), on: wlan)
        guard state == .incomplete else {
            #expect(kernel.requests.count == 1)
            return
        }
        try #require(kernel.requests.count == 3)
        // Reset (NUD_NONE, no flag), then resolved (NTF_USE).
        #expect(kernel.requests[1][24...26] == [0, 0, 0])
        #expect(kernel.requests[2][24...26] == [0, 0, 0x01])
    }

    @Test("a permanent neighbour entry is left alone", arguments: [Neighbour.State.permanent, .noARP])
    func permanentNeighbour(state: Neighbour.State) {
        let kernel = ScriptedKernel { request, _ in
            let entry = Samples.message(
                type: RTM_NEWNEIGH, sequence: request.sequence, neighbour(in: state))
            return [.success(entry), .success(request.acknowledgement())]
        }
        var conversation = conversation(with: kernel)
        let failure = #expect(throws: Failure.self) {
            try conversation.verifyNeighbour(.v4(0x0a4d_0001), on: wlan)
        }
        #expect(failure?.kind == .other)
        #expect(failure?.description.contains("10.77.0.1 is fixed") == true)
        #expect(kernel.requests.count == 1)
    }

    @Test("a neighbour entry that vanishes before its verification is created anew")
    func vanishedNeighbour() throws {
        let kernel = ScriptedKernel { request, attempt in
            switch attempt {
            case 1:
                let entry = Samples.message(
                    type: RTM_NEWNEIGH, sequence: request.sequence, Samples.neighbour)
                return [.success(entry), .success(request.acknowledgement())]
            case 2: return [.success(request.acknowledgement(ENOENT))]
            default: return [.success(request.acknowledgement())]
            }
        }
        var conversation = conversation(with: kernel)
        try conversation.verifyNeighbour(.v4(0x0a4d_0001), on: wlan)
        #expect(kernel.requests.count == 3)
        #expect(kernel.requests[2][26] == 0x01)  // ndm_flags NTF_USE
    }
}

private func neighbour(in state: Neighbour.State) -> [UInt8] {
    let bits: [Neighbour.State: UInt8] = [
        .none: 0, .incomplete: 1, .reachable: 2, .stale: 4, .delay: 8, .probe: 0x10, .failed: 0x20,
        .noARP: 0x40, .permanent: 0x80,
    ]
    var bytes = Samples.neighbour
    bytes[8] = bits[state] ?? 0  // ndm_state
    return bytes
}
