import CNetlink
import Dispatch
import Model
import Testing

@testable import Netlink

@Suite("What rtnetlink has answered a moment ago")
struct ResponseCacheTests {
    private static let wlan = InterfaceIndex(rawValue: 3)
    private static let other = InterfaceIndex(rawValue: 4)
    private static let then = Instant(nanoseconds: 100_000_000_000)

    @Test("the same question is answered for five milliseconds, another one is not")
    func lifetime() {
        let recent = ResponseCache()
        let request = AddressRequest.of(Self.wlan)
        #expect(recent.answer(to: request, at: Self.then) == nil)
        recent.keep([], to: request, at: Self.then)
        #expect(recent.answer(to: request, at: Self.then + .milliseconds(4)) != nil)
        #expect(recent.answer(to: request, at: Self.then + .milliseconds(5)) == nil)
        #expect(recent.answer(to: AddressRequest.of(Self.other), at: Self.then) == nil)
        #expect(recent.answer(to: RouteRequest.of(Self.wlan, family: AF_INET), at: Self.then) == nil)
    }

    @Test("a later answer takes the place of an earlier one")
    func replaced() throws {
        let recent = ResponseCache()
        let request = AddressRequest.of(Self.wlan)
        recent.keep([], to: request, at: Self.then)
        let bytes = Samples.message(type: RTM_NEWADDR, sequence: 1, [])
        recent.keep(Message.split(bytes), to: request, at: Self.then + .milliseconds(1))
        #expect(recent.answer(to: request, at: Self.then + .milliseconds(5))?.count == 1)
    }

    /// A kernel of one link, which it always tells of.
    private static func kernel() -> ScriptedKernel {
        ScriptedKernel { request, _ in
            let link = Samples.message(type: RTM_NEWLINK, sequence: request.sequence, Samples.link)
            let isQuestion = Int(request.type) == Int(RTM_GETLINK)
            return (isQuestion ? [.success(link)] : []) + [.success(request.acknowledgement())]
        }
    }

    private static func conversation(_ kernel: ScriptedKernel, _ recent: ResponseCache) -> Conversation {
        Conversation(
            route: kernel.transport, generic: kernel.transport, recent: recent, sequence: 0,
            deadline: .now() + .seconds(60))
    }

    @Test("who wants to know it as it is now asks, however recent the answer")
    func asked() throws {
        let kernel = Self.kernel()
        var conversation = Self.conversation(kernel, ResponseCache())
        for _ in 0..<3 { _ = try conversation.link(Self.wlan) }
        #expect(kernel.requests.count == 3)
    }

    @Test("what was ordered may have changed everything")
    func ordered() throws {
        let kernel = Self.kernel()
        let recent = ResponseCache()
        // Far ahead of any clock: it would always be recent enough.
        let late = Instant(nanoseconds: .max / 2)
        let request = AddressRequest.of(Self.wlan)
        recent.keep([], to: request, at: late)
        var conversation = Self.conversation(kernel, recent)
        try conversation.setAdministrativeState(up: true, of: Self.wlan)
        #expect(recent.answer(to: request, at: late) == nil)
    }

    @Test("who may do with it is not made to ask again")
    func reused() throws {
        let kernel = Self.kernel()
        let recent = ResponseCache()
        var conversation = Self.conversation(kernel, recent)
        conversation.mayReuse = true
        // However long the machine takes from one to the next, one of so many is in time.
        for _ in 0..<1000 {
            let before = kernel.requests.count
            _ = try conversation.link(Self.wlan)
            if kernel.requests.count == before, before > 0 { return }
        }
        Issue.record("it asked each time: \(kernel.requests.count)")
    }
}
