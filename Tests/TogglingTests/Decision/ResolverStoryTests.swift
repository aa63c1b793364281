import Testing

@testable import Model
@testable import Toggling

@Suite("Stories of this machine's own resolver") struct ResolverStoryTests {
    private static let resolver = IPAddress.v4(0x7f00_0035)
    private static let probe = ProbeSpec(.dns(name: "www.example.net", server: resolver))
    private static let hung = OwnerCondition(.resolved, .hung)

    /// A world whose probe of a name succeeded at first, and now fails until the method `cure` has run.
    static func world(
        _ condition: OwnerCondition?, mendedBy cure: Model.Method? = nil, probe: ProbeSpec = probe,
        _ change: (inout Settings) -> Void = { _ in }, limiter: BounceLimiter.Saved = BounceLimiter.Saved()
    ) -> VirtualWorld {
        let settings = Sample.settings {
            $0.probes = [ProbeSpec(.auto), probe]
            change(&$0)
        }
        var world = VirtualWorld(.watch, settings, limiter: limiter)
        world.conditions.owner = condition
        world.onMethod = { world, method in if method == cure { world.hosts.targetAnswers = true } }
        world.start()
        world.run(for: .seconds(70))
        world.hosts.targetAnswers = false
        return world
    }

    @Test(
        "systemd-resolved is restarted if names fail only because of it, and the link stays up",
        arguments: [OwnerCondition.Kind.dead, .hung])
    func restarted(kind: OwnerCondition.Kind) throws {
        var world = Self.world(OwnerCondition(.resolved, kind), mendedBy: .restartOwner)
        world.run(for: .seconds(120))
        #expect(
            world.orders.tried == [.restartOwner] && world.orders.lowered.isEmpty
                && world.orders.raised.isEmpty)
        let cycle = try #require(world.reports.cycles.first { $0.action.summary != nil })
        #expect(cycle.action.summary?.methods == [.restartOwner])
        #expect(world.reports.cycles.last?.verdict.conclusion == .healthy)
        let beginning = world.reports.steps.first { if case .beginning = $0 { true } else { false } }
        guard case .beginning(.restartOwner, let verdict?) = beginning else {
            Issue.record("\(beginning as Any)")
            return
        }
        #expect(verdict.layer == .dns && verdict.evidence.last == .owner(OwnerCondition(.resolved, kind)))
    }

    @Test("a one-shot restarts systemd-resolved too")
    func oneShot() {
        let settings = Sample.settings { $0.probes = [ProbeSpec(.auto), Self.probe] }
        let known = KnownTargets([
            KnownTargets.Entry(
                network: Network(Sample.kernelState()), target: "dns www.example.net 127.0.0.53",
                answered: .seconds(900))
        ])
        var world = VirtualWorld(.reconnect, settings, knownTargets: known)
        world.conditions.owner = Self.hung
        world.hosts.targetAnswers = false
        world.onMethod = { world, method in if method == .restartOwner { world.hosts.targetAnswers = true } }
        world.start()
        world.run(for: .seconds(100))
        #expect(world.orders.tried == [.restartOwner] && world.reports.outcome == .healthy)
    }

    @Test("a useless restart is followed by no reboot, even if the user named it")
    func noReboot() {
        var world = Self.world(Self.hung) { $0.methodsBesideAuto = [.reboot] }
        world.run(for: .seconds(7200))
        #expect(world.orders.tried == [.restartOwner])
    }

    @Test("if only the name servers fail, nothing is restarted or bounced")
    func providers() {
        var world = Self.world(nil)
        world.run(for: .seconds(7200))
        #expect(world.orders.tried.isEmpty && world.orders.questionsForOwner > 0)
        #expect(world.reports.cycles.last?.action == .skipped(.cannotHelp(.dns)))
    }

    @Test("a useless restart is made once in an outage, and then systemd-resolved is not queried again")
    func inVain() {
        var world = Self.world(Self.hung)
        world.run(for: .seconds(600))
        #expect(world.orders.tried == [.restartOwner])
        let asked = world.orders.questionsForOwner
        world.run(for: .seconds(12 * 3600))
        #expect(world.orders.tried == [.restartOwner] && world.orders.questionsForOwner == asked)
        #expect(world.reports.cycles.last?.action == .skipped(.cannotHelp(.dns)))
    }

    @Test("a restart that is refused is tried again within the day's limit, and no bounce follows")
    func refused() {
        var world = Self.world(Self.hung)
        world.refused[.restartOwner] = Failure(kind: .other, description: "no")
        world.run(for: .seconds(12 * 3600))
        #expect(world.orders.tried == [.restartOwner, .restartOwner, .restartOwner])
    }

    @Test("with --bounce-on dns the link is bounced only if systemd-resolved works")
    func bounceOnNames() {
        var failing = Self.world(Self.hung, { $0.bouncedLayers = [.dns] })
        failing.run(for: .seconds(7200))
        #expect(failing.orders.tried == [.restartOwner] && failing.orders.lowered.isEmpty)
        var working = Self.world(nil, { $0.bouncedLayers = [.dns] })
        working.run(for: .seconds(600))
        #expect(Set(working.orders.tried) == [.bounce])
    }

    @Test("methods beside `auto` do not follow the restart of systemd-resolved")
    func methodsBesideAuto() {
        var world = Self.world(Self.hung, { $0.methodsBesideAuto = [.rfkill, .hook] })
        world.run(for: .seconds(7200))
        #expect(world.orders.tried == [.restartOwner])
    }

    @Test("a login over the link does not prevent the restart, because the link stays up")
    func inUse() {
        var world = Self.world(Self.hung, mendedBy: .restartOwner)
        world.conditions.logins = [Sample.login]
        world.run(for: .seconds(120))
        #expect(world.orders.tried == [.restartOwner])
    }

    @Test("a user's hold prevents the restart")
    func held() {
        var world = Self.world(Self.hung, mendedBy: .restartOwner)
        world.conditions.administrativeHold = .untilReleased
        world.run(for: .seconds(600))
        #expect(world.orders.tried.isEmpty)
    }

    @Test("after three restarts in a day systemd-resolved is left alone")
    func limited() {
        let restarts = (1...3).map { Instant.seconds(1000 - 300 * Double($0)) }
        var world = Self.world(
            Self.hung, mendedBy: .restartOwner, limiter: BounceLimiter.Saved(restarts: restarts))
        world.run(for: .seconds(3600))
        #expect(world.orders.tried.isEmpty)
    }

    @Test("systemd-resolved is not queried if another server fails, lookups succeed, or a user names methods")
    func unasked() {
        let other = ProbeSpec(.dns(name: "www.example.net", server: .v4(0xc000_0201)))
        for probe in [other, ProbeSpec(.dns(name: "www.example.net", server: nil))] {
            var world = Self.world(Self.hung, probe: probe)
            world.run(for: .seconds(3600))
            #expect(world.orders.tried.isEmpty && world.orders.questionsForOwner == 0)
        }
        var named = Self.world(Self.hung, { $0.methods = [.restartOwner, .bounce] })
        named.run(for: .seconds(3600))
        #expect(named.orders.tried.isEmpty && named.orders.questionsForOwner == 0)
        var well = Self.world(Self.hung)
        well.hosts.targetAnswers = true
        well.run(for: .seconds(3600))
        #expect(well.orders.tried.isEmpty && well.orders.questionsForOwner == 0)
    }

    @Test("a dry run says what it would do")
    func dryRun() {
        var world = Self.world(Self.hung, { $0.isDryRun = true })
        world.run(for: .seconds(600))
        #expect(world.orders.tried.isEmpty)
        #expect(world.reports.cycles.last?.action == .skipped(.dryRun([.restartOwner])))
    }

    @Test("if the link fails while systemd-resolved is queried, a new check decides")
    func failedMeanwhile() {
        var world = Self.world(Self.hung)
        world.onOwnerQuestion = {
            $0.link.isInRange = false
            // Later queries are about the owner of the link.
            if $0.orders.questionsForOwner > 1 { $0.conditions.owner = nil }
        }
        world.run(for: .seconds(120))
        #expect(
            world.orders.questionsForOwner > 0 && !world.orders.tried.contains(.restartOwner),
            "\(world.orders.tried)")
        #expect(world.reports.cycles.last?.verdict.layer == .association)
    }

    @Test(
        "only a probe of systemd-resolved that failed at the layer dns counts",
        arguments: [
            (Verdict.Conclusion.sick, Layer.dns, resolver, Sample.silent, true),
            (.sick, .dns, .v4(0x7f00_0036), Sample.silent, true),
            (.sick, .dns, .v4(0x7f00_0001), Sample.silent, false),
            (.unknown, .dns, resolver, Sample.silent, false),
            (.sick, .gateway, resolver, Sample.silent, false),
            (.sick, .dns, resolver, Sample.answered, false), (.sick, .dns, resolver, Sample.blocked, false),
            (.sick, .dns, resolver, .neverAnswered(detail: "no"), false),
            (.sick, .dns, resolver, .refuted(layer: .dns, roundTrip: .zero, detail: "no"), true),
        ])
    func evidence(
        conclusion: Verdict.Conclusion, layer: Layer, server: IPAddress, result: ProbeResult, counts: Bool
    ) {
        let question = ProbeRequest.Question.dns(name: "a.example", server: server)
        let verdict = Verdict(
            conclusion, layer: layer, reason: .nameServerSilent([question]),
            evidence: [.probe(question, result)])
        #expect(verdict.failedLookup == (counts ? FailedLookup(name: "a.example", resolver: server) : nil))
    }
}
