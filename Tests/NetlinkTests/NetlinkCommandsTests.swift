import CNetlink
import Dispatch
import Glibc
import Model
import Platform
import Synchronization
import TestSupport
import Testing

@testable import Netlink

private let wlan = InterfaceIndex(rawValue: 3)

@MainActor
@Suite("Asynchronous netlink commands")
struct NetlinkCommandsTests {
    private func commands(
        _ transport: Transport, timeout: Duration = .seconds(60), _ place: NetlinkCommands.Place = .ownThread
    ) -> NetlinkCommands {
        NetlinkCommands(place, route: transport, generic: transport, requestTimeout: timeout)
    }

    @Test(
        "a completion is called later on the event loop, never from inside the call",
        arguments: [NetlinkCommands.Place.ownThread, .callingThread])
    func completionIsLater(place: NetlinkCommands.Place) async throws {
        let kernel = ScriptedKernel { request, _ in [.success(request.acknowledgement())] }
        let commands = commands(kernel.transport, place)
        var hasReturned = false
        try await outcome { done in
            commands.setAdministrativeState(up: true, of: wlan, timeout: .seconds(60)) { result in
                #expect(hasReturned)
                MainActor.preconditionIsolated()
                done(result)
            }
            hasReturned = true
        }.get()
    }

    @Test("after a request that the kernel answered late, the next one does not block the event loop")
    func slowKernel() async throws {
        let threads = Mutex<[pthread_t]>([])
        let kernel = ScriptedKernel { request, attempt in
            threads.withLock { $0.append(pthread_self()) }
            if attempt == 1 { usleep(150_000) }
            return [
                .success(Samples.message(type: RTM_NEWLINK, sequence: request.sequence, Samples.link)),
                .success(request.acknowledgement()),
            ]
        }
        let commands = commands(kernel.transport)
        let ours = pthread_self()
        for _ in 1...2 { _ = try await outcome { commands.link(wlan, $0) }.get() }
        let seen = threads.withLock { $0 }
        #expect(seen.first == ours && seen.count == 2 && seen.last != ours)
    }

    @Test("completions are called in the order of the commands")
    func order() async {
        let kernel = ScriptedKernel { request, _ in
            [
                .success(
                    Samples.message(type: RTM_NEWLINK, sequence: request.sequence, Samples.link)),
                .success(request.acknowledgement()),
            ]
        }
        let commands = commands(kernel.transport)
        var order: [Int] = []
        for number in 1...3 { commands.link(wlan) { _ in order.append(number) } }
        #expect(await eventually { order.count == 3 })
        #expect(order == [1, 2, 3])
    }

    @Test("while the kernel blocks one command, the loop runs, and the commands behind it time out unsent")
    func stuckKernel() async throws {
        let release = DispatchSemaphore(value: 0)
        let kernel = ScriptedKernel { request, attempt in
            if attempt == 1 { release.wait() }
            return [.success(request.acknowledgement())]
        }
        let commands = commands(kernel.transport, timeout: .milliseconds(50))
        var kinds: [Failure.Kind?] = []
        let note: NetlinkCommands.Completion<Void> = { result in
            if case .failure(let failure) = result { kinds.append(failure.kind) } else { kinds.append(nil) }
        }
        commands.setAdministrativeState(up: false, of: wlan, timeout: .milliseconds(50), note)
        commands.setAdministrativeState(up: true, of: wlan, timeout: .milliseconds(60), note)
        #expect(await eventually { kinds.count == 2 })
        #expect(kinds == [.timedOut, .timedOut])
        release.signal()
        try await outcome {
            commands.setAdministrativeState(up: true, of: wlan, timeout: .seconds(60), $0)
        }.get()
        // Only the stuck request and the last one were sent. The second was past its deadline at its turn.
        #expect(kernel.requests.count == 2)
    }

    @Test("an order for which there is no thread fails unsent, and the next one is carried out")
    func noThread() async throws {
        let kernel = ScriptedKernel { request, _ in [.success(request.acknowledgement())] }
        let commands = commands(kernel.transport)
        var results: [Result<Void, Failure>] = []
        let isDone = withoutNewThreads {
            commands.setAdministrativeState(up: false, of: wlan, timeout: .seconds(60)) { results.append($0) }
        }
        try #require(isDone)
        #expect(results.isEmpty, "never inside the call")
        #expect(await eventually { !results.isEmpty })
        #expect(throws: Failure.noThread(SystemError(call: "pthread_create", code: EAGAIN))) {
            try results[0].get()
        }
        #expect(kernel.requests.isEmpty)
        try await outcome {
            commands.setAdministrativeState(up: true, of: wlan, timeout: .seconds(60), $0)
        }.get()
        #expect(kernel.requests.count == 1)
    }

    @Test("a block for a process with one thread runs before work that is queued behind it")
    func idle() async {
        let kernel = ScriptedKernel { request, _ in [.success(request.acknowledgement())] }
        let commands = commands(kernel.transport)
        let (first, second) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        var isAlone: Bool?
        BlockingWork.perform(within: .seconds(60), { first.wait() }, { _ in })
        commands.whileIdle { isAlone = !BlockingWork.isUnderWay }
        BlockingWork.afterwards { BlockingWork.perform(within: .seconds(60), { second.wait() }, { _ in }) }
        first.signal()
        #expect(await eventually { isAlone != nil })
        #expect(isAlone == true)
        second.signal()
        #expect(await eventually { !BlockingWork.isUnderWay })
    }

    @Test("a block for a process with one thread also waits for work that begins during its wait")
    func idleAgain() async {
        let release = DispatchSemaphore(value: 0)
        let kernel = ScriptedKernel { request, _ in
            release.wait()
            return [.success(request.acknowledgement())]
        }
        let commands = commands(kernel.transport)
        var isAlone: Bool?
        let gate = DispatchSemaphore(value: 0)
        commands.setAdministrativeState(up: true, of: wlan, timeout: .seconds(60)) { _ in }
        commands.whileIdle { isAlone = !BlockingWork.isUnderWay }
        await runLoop(for: .milliseconds(20))
        BlockingWork.perform(within: .seconds(60), { gate.wait() }, { _ in })
        release.signal()
        await runLoop(for: .milliseconds(20))
        #expect(isAlone == nil)
        gate.signal()
        #expect(await eventually { isAlone != nil })
        #expect(isAlone == true)
    }

    @Test("a command keeps its sockets alive until it completes")
    func releasedEarly() async throws {
        let kernel = ScriptedKernel { request, _ in [.success(request.acknowledgement())] }
        try await outcome {
            commands(kernel.transport).setAdministrativeState(up: true, of: wlan, timeout: .seconds(60), $0)
        }.get()
        #expect(kernel.requests.count == 1)
    }

    /// A default route in place of the route to some network.
    private nonisolated static func toEverywhere(_ route: [UInt8], _ type: Int = RTN_UNICAST) -> [UInt8] {
        var bytes = route
        bytes[1] = 0  // rtm_dst_len
        bytes[7] = UInt8(type)  // rtm_type
        return bytes
    }

    @Test(
        "a default route counts for each of its next hops, also if only its nexthop object is reported",
        arguments: [
            (3, toEverywhere(Samples.multipathRoute), true), (4, toEverywhere(Samples.multipathRoute), true),
            (5, toEverywhere(Samples.multipathRoute), false), (3, Samples.multipathRoute, false),
            (3, Samples.defaultRoute, true), (4, Samples.defaultRoute, false),
            (3, toEverywhere(Array(Samples.objectRoute.prefix(28))), true),
            (3, toEverywhere(Samples.defaultRoute, RTN_UNREACHABLE), false),
        ] as [(UInt8, [UInt8], Bool)])
    func defaultRoutes(index: UInt8, route: [UInt8], isFound: Bool) async throws {
        var link = Samples.link
        link[4] = index  // ifi_index
        let kernel = ScriptedKernel { [link] request, _ in
            let isLink = request.type == RTM_GETLINK
            return [
                .success(
                    Samples.message(
                        type: isLink ? RTM_NEWLINK : RTM_NEWROUTE, sequence: request.sequence,
                        isLink ? link : route)),
                .success(request.done()),
            ]
        }
        let names = try await outcome { commands(kernel.transport).interfacesWithDefaultRoute($0) }.get()
        #expect(names == (isFound ? ["wlan0"] : []))
    }

    @Test(
        "routes that cannot be read are a failure, but not those of an interface that has disappeared",
        arguments: [(ENOBUFS, true), (ENODEV, false)])
    func unreadableRoutes(code: Int32, isFailure: Bool) async throws {
        let kernel = ScriptedKernel { request, _ in
            guard request.type == RTM_GETLINK else { return [.success(request.acknowledgement(code))] }
            let link = Samples.message(type: RTM_NEWLINK, sequence: request.sequence, Samples.link)
            return [.success(link), .success(request.done())]
        }
        let result = try await outcome { commands(kernel.transport).interfacesWithDefaultRoute($0) }
        if isFailure {
            #expect(throws: Failure.self) { try result.get() }
        } else {
            #expect(try result.get() == [])
        }
    }
}
