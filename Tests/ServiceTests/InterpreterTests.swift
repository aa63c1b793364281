import Model
import Testing
import Toggling

@testable import Reporting
@testable import Service

@Suite("The interpreter") struct InterpreterTests {
    @Test("a bounce is carried out step by step, in the right order")
    func order() {
        let world = FakeWorld()
        var settings = Settings()
        settings.delay = .zero
        settings.settle = .zero
        settings.probes = [ProbeSpec(.none)]
        world.onKernelState = { $0(.success(FakeWorld.kernelState)) }
        world.onSnapshot = { $0(.success(Snapshot())) }
        world.onArm = { $0(.success(())) }
        world.onSet = { $1(.success(())) }
        world.onRestore = { $0(Restoration()) }
        let interpreter = Interpreter(environment: world.environment)
        interpreter.add(
            Toggler(runMode: .toggle, settings: settings, seed: 1), for: FakeWorld.interfaceRef,
            isPresent: true)
        #expect(
            world.log.filter { !$0.contains("→") } == [
                "kernel state", "snapshot", "arm", "remember bounces 1", "lower", "tell lowered", "raise",
                "tell raised", "restore", "disarm",
            ])
        #expect(world.outcomes == [.healthy])
    }

    @Test("a directed scan precedes the bounce, and the aborted scan is reported with its result")
    func fastReconnect() {
        let world = FakeWorld()
        var settings = Settings()
        settings.delay = .zero
        settings.probes = [ProbeSpec(.none)]
        var kernelState = FakeWorld.kernelState
        kernelState.wireless?.association?.frequency = 2412
        kernelState.wireless?.association?.station.signal = -50
        var kernelStates = 0
        world.onKernelState = {
            kernelStates += 1
            if kernelStates == 1 { $0(.success(kernelState)) }
        }
        world.onSnapshot = { $0(.success(Snapshot(scanOwner: .supplicant))) }
        world.onArm = { $0(.success(())) }
        world.onSet = { $1(.success(())) }
        world.onDirectedScan = { [unowned world] in
            world.now = world.now + .seconds(2)
            $0(.success(()))
        }
        world.onAbortScan = { $0(.success(.seconds(3))) }
        let interpreter = Interpreter(environment: world.environment)
        interpreter.add(
            Toggler(runMode: .toggle, settings: settings, seed: 1), for: FakeWorld.interfaceRef,
            isPresent: true)
        interpreter.post(.scanBegun(Scan(frequencies: [2412, 2417, 2422, 2427])), to: 1)
        #expect(
            world.log.filter { !$0.contains("→") } == [
                "kernel state", "snapshot", "directed scan on 2412", "arm", "remember bounces 1", "lower",
                "tell lowered",
                "raise", "tell raised", "kernel state", "abort scan for lab, 2s",
            ])
        #expect(world.reports.last == .step(.scanAborted(heard: .seconds(3))))
    }

    @Test("the methods of the ladder are carried out in order, each with the current settings")
    func ladder() {
        let world = FakeWorld()
        var settings = Settings()
        settings.methods = [.reassociate, .rfkill, .hook]
        settings.hook = "/heal"
        settings.delay = .zero
        settings.settle = .zero
        settings.probes = [ProbeSpec(.none)]
        world.onKernelState = { $0(.success(FakeWorld.kernelState)) }
        world.onSnapshot = { $0(.success(Snapshot())) }
        world.onArm = { $0(.success(())) }
        world.onSet = { $1(.failure(Failure(kind: .unavailable, description: "no switch"))) }
        world.onPerform = { $0(.failure(Failure(kind: .unavailable, description: "none"))) }
        let interpreter = Interpreter(environment: world.environment)
        interpreter.add(
            Toggler(runMode: .toggle, settings: settings, seed: 1), for: FakeWorld.interfaceRef,
            isPresent: true)
        #expect(
            world.log.filter { !$0.contains("→") } == [
                "kernel state", "reassociate /heal", "kernel state", "snapshot", "arm", "remember bounces 1",
                "lower by rfkill", "disarm", "kernel state", "hook /heal",
            ])
        #expect(world.outcomes == [.failed(.performing, Failure(kind: .unavailable, description: "none"))])
    }

    @Test("an answer that arrives inside a call is handled only after the current event")
    func runToCompletion() {
        let world = FakeWorld()
        world.onKernelState = { $0(.success(FakeWorld.kernelState)) }
        world.onProbe = { $1(.answered(roundTrip: .milliseconds(1), detail: "")) }
        let interpreter = Interpreter(environment: world.environment)
        interpreter.add(
            Toggler(runMode: .probe, settings: Settings(), seed: 1), for: FakeWorld.interfaceRef,
            isPresent: true)
        #expect(world.log == ["idle → checking", "kernel state", "probe", "checking → finished"])
        #expect(world.outcomes == [.healthy])
    }

    @Test("only the nearest deadline sets the timer, and an early wake-up sets the timer again")
    func nearestDeadline() {
        let world = FakeWorld()
        var kernelStates = 0
        world.onKernelState = {
            kernelStates += 1
            $0(.success(FakeWorld.kernelState))
        }
        world.onProbe = { $1(.answered(roundTrip: .milliseconds(1), detail: "")) }
        let interpreter = Interpreter(environment: world.environment)
        interpreter.add(
            Toggler(runMode: .watch, settings: Settings(), seed: 1), for: FakeWorld.interfaceRef,
            isPresent: true)
        #expect(world.wakes.last == world.now + .seconds(60))
        world.now = world.now + .seconds(59)
        interpreter.timeCame()
        #expect(kernelStates == 1, "the deadline had not come")
        #expect(world.wakes.count == 2 && world.wakes.last == world.now + .seconds(1))
        world.now = world.now + .seconds(1)
        interpreter.timeCame()
        #expect(kernelStates == 2)
    }

    @Test(
        "each of many interfaces is checked at its own time, also after repeated postponements"
    )
    func many() {
        let world = FakeWorld()
        var kernelStateRead: [Int32] = []
        world.onKernelStateOf = { kernelStateRead.append($0.rawValue) }
        world.onKernelState = { $0(.success(FakeWorld.kernelState)) }
        var settings = Settings()
        settings.probes = [ProbeSpec(.none)]
        let interpreter = Interpreter(environment: world.environment)
        for id in 0..<40 {
            let interfaceRef = InterfaceRef(
                id: id, index: InterfaceIndex(rawValue: Int32(id)), name: "wlan\(id)")
            interpreter.add(
                Toggler(runMode: .watch, settings: settings, seed: 1, place: id), for: interfaceRef,
                isPresent: true)
        }
        #expect(kernelStateRead.sorted() == (0..<40).map { Int32($0) })
        for _ in 0..<50 { interpreter.postToAll(.cycleRequested) }
        kernelStateRead = []
        let end = world.now + .seconds(60)
        while let next = world.wakes.last ?? nil, next <= end {
            world.now = next
            interpreter.timeCame()
        }
        #expect(kernelStateRead.sorted() == (0..<40).map { Int32($0) }, "each of them once in an interval")
    }

    @Test("a toggler that has ended takes no more events")
    func ended() {
        let world = FakeWorld()
        world.onKernelState = { $0(.failure(Failure(kind: .noSuchDevice, description: "No such device"))) }
        let interpreter = Interpreter(environment: world.environment)
        interpreter.add(
            Toggler(runMode: .reconnect, settings: Settings(), seed: 1), for: FakeWorld.interfaceRef,
            isPresent: true)
        #expect(world.outcomes == [.refused(.absent)])
        let before = world.log
        interpreter.postToAll(.terminationRequested)
        interpreter.post(.cycleRequested, to: FakeWorld.interfaceRef.id)
        #expect(world.log == before)
    }

    @Test("a replay of a recorded run has equal decisions, and each was recorded before it was carried out")
    func recorded() throws {
        let world = FakeWorld()
        world.onKernelState = { $0(.success(FakeWorld.kernelState)) }
        world.onProbe = { $1(.answered(roundTrip: .milliseconds(1), detail: "")) }
        let beginning = Trace.Beginning(runMode: .watch, settings: Settings(), seed: 1)
        func stamp(_ interfaceRef: InterfaceRef, _ at: Instant) -> Trace.Stamp {
            Trace.Stamp(at: at, id: interfaceRef.id, interface: interfaceRef.name)
        }
        var trace =
            Trace.title(program: "test")
            + Trace.beginning(beginning, stamp(FakeWorld.interfaceRef, world.now))
        var reported: [Int] = []
        let interpreter = Interpreter(environment: world.environment)
        interpreter.recorder = {
            reported.append(world.reports.count)
            trace += Trace.turn($0, $3, stamp($1, $2))
        }
        interpreter.add(beginning.toggler, for: FakeWorld.interfaceRef, isPresent: true)
        world.now = world.now + .seconds(60)
        interpreter.timeCame()
        #expect(
            reported.prefix(2) == [0, 1], "the first event reports that it watches, after it was recorded")
        var replay = Replay()
        for line in trace.split(separator: "\n") {
            #expect(
                try replay.take(Array(line.utf8)[...]).allSatisfy {
                    if case .told = $0 { true } else { false }
                })
        }
        #expect(try replay.end().isEmpty)
        #expect(replay.events == reported.count && replay.events == 7)
    }
}
