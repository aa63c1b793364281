import Testing

@testable import Model
@testable import Toggling

/// The gateway is silent, but the link still receives from other hosts.
@Suite("Stories of liveness") struct LivenessStoryTests {
    /// A world whose gateway is silent from the beginning.
    private static func world(
        _ runMode: RunMode, _ change: (inout Settings) -> Void = { _ in }
    ) -> VirtualWorld {
        var world = VirtualWorld(runMode, Sample.settings(change))
        world.hosts.gatewayAnswers = false
        return world
    }

    @Test("the link is not bounced while another host is heard, and is bounced afterwards")
    func service() throws {
        var world = Self.world(.watch)
        world.conditions.liveness = [Sample.alive]
        world.start()
        world.run(for: .seconds(3600))
        #expect(world.orders.lowered.isEmpty)
        #expect(world.reports.cycles.last?.action == .held(.alive(Sample.alive)))
        #expect(world.reports.cycles.last?.next?.why == .schedule)
        #expect(world.reports.cycles.last?.verdict.evidence.last == .liveness(Sample.alive))
        #expect(world.toggler.health.condition == .sick)
        world.conditions.liveness = []
        world.run(for: .seconds(65))
        #expect(world.orders.lowered.count == 1)
    }

    @Test("while a host is heard, reconnect bounces nothing and ends sick, even with --even-if-in-use")
    func reconnect() {
        for change: (inout Settings) -> Void in [
            { _ in }, { $0.isDryRun = true }, { $0.bouncesInUse = true },
        ] {
            var world = Self.world(.reconnect, change)
            world.conditions.liveness = [Sample.alive]
            world.start()
            world.run(for: .seconds(120))
            #expect(world.orders.lowered.isEmpty)
            #expect(world.reports.cycles.last?.action == .held(.alive(Sample.alive)))
            #expect(world.reports.outcome == .sick)
        }
    }

    @Test("liveness is requested once for each bounce that is about to begin, and never otherwise")
    func cost() {
        var world = VirtualWorld(.watch)
        world.start()
        world.run(for: .seconds(3600))
        #expect(world.orders.questionsForLiveness == 0)
        world.hosts.gatewayAnswers = false
        world.run(for: .seconds(600))
        #expect(world.orders.lowered.count >= 1)
        #expect(world.orders.questionsForLiveness == world.orders.lowered.count, "backing off nobody asks")
    }

    @Test("a toggle and the plain timer do not request liveness")
    func asked() {
        for (runMode, isForced) in [(RunMode.toggle, false), (.watch, true), (.reconnect, true)] {
            var world = Self.world(runMode) { $0.isForced = isForced }
            world.conditions.liveness = [Sample.alive]
            world.start()
            world.run(for: .seconds(50))
            #expect(world.orders.lowered.count == 1, "\(runMode)")
            #expect(world.orders.questionsForLiveness == 0, "\(runMode)")
        }
    }

    @Test(
        "without an association or an address, liveness is irrelevant", arguments: [true, false])
    func below(isAssociated: Bool) {
        var world = VirtualWorld(.reconnect)
        world.conditions.liveness = [Sample.alive]
        world.link.isInRange = isAssociated
        world.link.hasAddress = false
        world.start()
        world.run(for: .seconds(120))
        #expect(world.orders.lowered.count == 1)
        #expect(world.orders.questionsForLiveness == 0)
    }

    @Test("a host that was heard before the silence began proves nothing, one that was heard later does")
    func sinceTheSilence() {
        for (seconds, bounces) in [(Int64(-1), 1), (1, 0)] {
            var world = Self.world(.reconnect) { $0.fall = 1 }
            world.conditions.heardAt = world.now + .milliseconds(seconds)
            world.start()
            world.run(for: .seconds(120))
            #expect(world.orders.questionsForLiveness == 1)
            #expect(world.orders.lowered.count == bounces, "\(seconds) ms after the first check")
        }
    }

    @Test("the silence begins with the first sick check; hosts heard over ten seconds ago do not count")
    func row() throws {
        var world = Self.world(.reconnect)
        world.start()
        world.run(for: .seconds(120))
        let bounce = try #require(world.orders.lowered.first)
        #expect(bounce > .seconds(20))
        // The last sick check of the streak begins about four seconds before the bounce.
        for (age, bounces) in [(Int64(8), 0), (12, 1)] {
            var world = Self.world(.reconnect)
            world.conditions.heardAt = world.now + (bounce - .seconds(age))
            world.start()
            world.run(for: .seconds(120))
            #expect(world.orders.lowered.count == bounces, "heard \(age) s before the bounce")
        }
    }

    @Test("a change of the fault begins a new silence")
    func otherFault() {
        var world = VirtualWorld(.reconnect)
        world.link.hasAddress = false
        world.start()
        world.run(for: .seconds(6))
        // The fault changes before the third check, which is the last of the streak.
        world.link.hasAddress = true
        world.hosts.gatewayAnswers = false
        world.conditions.heardAt = world.now
        world.run(for: .seconds(3))
        #expect(world.toggler.lastCheck.fault?.layer == .address)
        world.run(for: .seconds(60))
        #expect(world.orders.questionsForLiveness == 1)
        #expect(world.orders.lowered.count == 1)
    }

    @Test("only a connection beyond the gateway contradicts silence beyond the gateway")
    func beyond() {
        for (manner, bounces) in [(Liveness.Manner.connection, 1), (.neighbour, 1), (.connectionBeyond, 0)] {
            var world = VirtualWorld(
                .reconnect,
                Sample.settings {
                    $0.fall = 1
                    $0.bouncedLayers = [.internet]
                    $0.probes = [ProbeSpec(.auto), ProbeSpec(.tcp(.address(.v4(1)), port: 80))]
                },
                knownTargets: KnownTargets([
                    KnownTargets.Entry(
                        network: Network(Sample.kernelState()), target: "tcp 0.0.0.1 80", answered: .boot)
                ]))
            world.hosts.targetAnswers = false
            world.conditions.liveness = [Liveness(peer: .v4(9), manner: manner, heard: .milliseconds(1))]
            world.start()
            world.run(for: .seconds(120))
            #expect(world.reports.cycles.first?.verdict.layer == .internet, "\(world.reports.cycles)")
            #expect(world.orders.lowered.count == bounces, "\(manner)")
        }
    }

    // MARK: Evidence

    private static let silent = Verdict(.sick, layer: .gateway, reason: .gatewaySilent([Sample.gateway]))

    @Test("hosts heard within the interval count, and the latest is reported")
    func withinInterval() {
        let older = Liveness(peer: .v4(2), manner: .neighbour, heard: .seconds(3))
        let kernelState = Sample.kernelState(liveness: [
            older, Liveness(peer: .v4(3), manner: .connection, heard: .seconds(2)),
        ])
        #expect(kernelState.liveness(against: Self.silent, within: .seconds(10))?.peer == .v4(3))
        #expect(kernelState.liveness(against: Self.silent, within: .seconds(2))?.peer == .v4(3))
        #expect(kernelState.liveness(against: Self.silent, within: .milliseconds(1999)) == nil)
        #expect(Sample.kernelState().liveness(against: Self.silent, within: .seconds(10)) == nil)
    }

    @Test("a silent gateway's own entry is no liveness; while the kernel state has a fault, nothing is")
    func gateway() {
        let sign = Liveness(peer: Sample.gateway, manner: .neighbour, heard: .zero)
        #expect(
            Sample.kernelState(liveness: [sign]).liveness(against: Self.silent, within: .seconds(1)) == nil)
        let connected = Liveness(peer: Sample.gateway, manner: .connection, heard: .zero)
        #expect(
            Sample.kernelState(liveness: [connected]).liveness(against: Self.silent, within: .seconds(1))
                != nil)
        let down = Sample.kernelState(link: Sample.link(state: .dormant), liveness: [connected])
        #expect(down.liveness(against: Self.silent, within: .seconds(1)) == nil)
    }

    @Test(
        "the referee rejects a bounce of a link that is alive, or whose liveness was not requested",
        arguments: [true, false])
    func referee(isAsked: Bool) {
        let (now, settings) = (Instant.seconds(100), Settings())
        var referee = Referee(runMode: .reconnect)
        let question = Effect.kernelState(
            1, with: KernelState.Details(logins: true, livenessWithin: isAsked ? .seconds(9) : nil))
        _ = referee.judge(question, at: now, under: settings, open: [])
        let kernelState = Sample.kernelState(logins: [], liveness: isAsked ? [Sample.alive] : nil)
        referee.note(.kernelStateRead(1, kernelState), at: now, under: settings)
        let beginning = Report.Step.beginning(.bounce, Self.silent)
        _ = referee.judge(.report(.step(beginning)), at: now, under: settings, open: [])
        let wrong = referee.judge(.lowerLink(.bounce), at: now, under: settings, open: [])
        let words = isAsked ? "touched a link that is alive" : "nobody checked whether the link is alive"
        #expect(wrong.contains(words), "\(wrong)")
    }

    @Test("liveness contradicts only faults that consist of silence")
    func contradictions() {
        for (layer, reason) in [
            (Layer.association, Reason.notAssociated), (.address, .noAddress),
            (.gateway, .gatewayRouteLost([Sample.gateway])), (.dns, .nameServerSilent([])),
            (.internet, .answerWrong(.command("/a"), detail: "")),
            (.portal, .portal(.command("/a"), detail: "")),
        ] {
            #expect(Verdict(.sick, layer: layer, reason: reason).contradictions.isEmpty, "\(reason)")
        }
        #expect(Verdict(.unknown, reason: .gatewaySilent([])).contradictions.isEmpty)
    }
}
