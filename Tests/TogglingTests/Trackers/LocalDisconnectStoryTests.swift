import Testing

@testable import Model
@testable import Toggling

/// If a user disconnects the station, the program respects that. It distinguishes this from a lost network.
@Suite("Stories of local disconnects") struct LocalDisconnectStoryTests {
    private static let lost = Disconnection(reason: 4, isByAccessPoint: false)
    private static let hour: Duration = .seconds(3600)

    /// A world whose station is associated and healthy. Scans still find its network after it disconnects.
    private func settled(
        _ runMode: RunMode = .watch, _ change: (inout Settings) -> Void = { _ in }
    ) -> VirtualWorld {
        var world = VirtualWorld(runMode, Sample.settings(change))
        world.link.heard = [Sample.own]
        world.start()
        world.run(for: .seconds(70))
        return world
    }

    /// Ends the association, with this disconnection event.
    private func end(_ world: inout VirtualWorld, _ end: Disconnection? = Sample.leave) {
        world.link.isInRange = false
        world.tell(.disconnected(nil))
        world.tell(.disconnected(end))
    }

    @Test("a station that a user disconnects from a healthy network is left alone, and the report says so")
    func left() {
        var world = settled()
        end(&world)
        world.run(for: Self.hour)
        #expect(world.orders.lowered.isEmpty)
        #expect(world.reports.cycles.last?.verdict.conclusion == .sick)
        #expect(world.reports.cycles.last?.verdict.layer == .association)
        #expect(world.reports.cycles.last?.verdict.reason == .disconnectedLocally)
        #expect(world.reports.cycles.last?.action == .skipped(.cannotHelp(.association)))
    }

    @Test(
        "a station that a user disconnects is left alone even if its loss of carrier is reported first")
    func carrierFirst() {
        var world = settled { $0.fall = 2 }
        world.link.isInRange = false
        world.tell(.linkChanged(Sample.link(state: .dormant)))
        world.run(for: .milliseconds(20))
        #expect(world.reports.cycles.last?.verdict.reason == .notAssociated)
        end(&world)
        world.run(for: Self.hour)
        #expect(world.orders.lowered.isEmpty)
        #expect(world.reports.cycles.last?.verdict.reason == .disconnectedLocally)
    }

    @Test("a failed attempt to join after the network was lost is not a user's disconnect")
    func leftInVain() {
        var world = settled { $0.fall = 3 }
        world.link.isInRange = false
        world.tell(.linkChanged(Sample.link(state: .dormant)))
        world.run(for: .milliseconds(20))
        end(&world, Self.lost)
        world.run(for: .seconds(1))
        world.tell(.disconnected(Sample.leave))
        world.run(for: .seconds(60))
        #expect(world.orders.lowered.count == 1)
    }

    @Test("a local disconnect stays known over suspend, overrun, scans and the network's disappearance")
    func kept() {
        var world = settled()
        end(&world)
        for event in [
            Event.resumed(), .monitorOverran, .scanFinished, .addressingChanged, .disconnected(nil),
        ] {
            world.tell(event)
            world.run(for: .seconds(300))
        }
        world.link.heard = [Sample.stranger]
        world.run(for: .seconds(300))
        #expect(world.reports.cycles.last?.verdict.reason == .disconnectedLocally)
        #expect(world.orders.lowered.isEmpty)
    }

    @Test(
        "if the association ends without a local disconnect, that is a fault, and the link is bounced",
        arguments: [
            lost, Disconnection(reason: 2, isByAccessPoint: false),
            Disconnection(reason: nil, isByAccessPoint: false),
            Disconnection(reason: 3, isByAccessPoint: true),
            nil,
        ])
    func otherEnds(_ how: Disconnection?) {
        var world = settled()
        end(&world, how)
        world.run(for: .seconds(60))
        #expect(world.orders.lowered.count == 1)
    }

    @Test("after an attempt to join, the owner has ten seconds before the link is bounced")
    func joinsAgain() throws {
        var world = settled()
        end(&world)
        world.run(for: .seconds(600))
        let asked = world.now - world.begun
        world.tell(.joinAttempted)
        world.tell(.addressingChanged)
        world.run(for: .seconds(12))
        let bounce = try #require(world.orders.lowered.first)
        #expect((10_000...11_500).contains((bounce - asked).milliseconds), "\(bounce - asked)")
    }

    @Test("a station that joins again after a local disconnect is healthy without a bounce")
    func joined() {
        var world = settled()
        end(&world)
        world.run(for: .seconds(600))
        world.tell(.joinAttempted)
        world.tell(.addressingChanged)
        world.run(for: .seconds(4))
        world.link.isInRange = true
        world.tell(.addressingChanged)
        world.run(for: .seconds(300))
        #expect(world.orders.lowered.isEmpty)
        #expect(world.toggler.health.condition == .healthy)
        end(&world)
        world.run(for: .seconds(300))
        #expect(world.orders.lowered.isEmpty, "and may be left again")
    }

    @Test(
        "a disconnection after a loss or an attempt to join is a failure, not a user's disconnect",
        arguments: [[Event.disconnected(lost), .joinAttempted], [.joinAttempted], [.disconnected(lost)]])
    func gaveUp(_ before: [Event]) {
        var world = settled()
        for event in before { world.tell(event) }
        end(&world)
        world.run(for: .seconds(60))
        #expect(world.orders.lowered.count == 1)
    }

    @Test("a station that leaves and begins to join again, and does not succeed, counts as lost")
    func rejoined() {
        var world = settled()
        end(&world)
        world.tell(.joinAttempted)
        world.run(for: .seconds(60))
        #expect(world.orders.lowered.count == 1)
    }

    @Test("a disconnection of a link that was not healthy is a failure", arguments: [true, false])
    func sickBefore(isInUse: Bool) {
        var world = settled { if !isInUse { $0.fall = 5 } }
        world.conditions.logins = isInUse ? [Sample.login] : []
        world.hosts.gatewayAnswers = false
        // If a login postpones the bounce, the last check read only the kernel state, which has no fault.
        world.run(for: isInUse ? .seconds(120) : .seconds(70))
        #expect((world.orders.questionsForLogins > 0) == isInUse)
        #expect(world.reports.cycles.last?.verdict.conclusion == .sick)
        #expect(world.orders.lowered.isEmpty)
        end(&world)
        world.conditions.logins = []
        world.run(for: .seconds(120))
        #expect(!world.reports.cycles.contains { $0.verdict.reason == .disconnectedLocally })
        #expect(!world.orders.lowered.isEmpty)
    }

    @Test("a join whose notification was lost is noticed, and a later fault is bounced")
    func joinedUnheard() {
        var world = settled()
        end(&world)
        world.run(for: .seconds(300))
        world.link.isInRange = true
        world.tell(.monitorOverran)
        world.run(for: .seconds(120))
        #expect(world.toggler.health.condition == .healthy)
        world.hosts.gatewayAnswers = false
        world.run(for: .seconds(120))
        #expect(world.orders.lowered.count == 1)
    }

    @Test(
        "a disconnection that the kernel caused, or that may be outdated, is no local disconnect",
        arguments: [
            Event.linkChanged(Sample.link(isUp: false)), .radioChanged(.soft), .resumed(), .monitorOverran,
        ])
    func kernel(_ event: Event) {
        for isFirst in [true, false] {
            // A suspend and an overrun matter only if they come before the disconnection.
            if !isFirst, [.resumed(), .monitorOverran].contains(event) { continue }
            var world = settled()
            if isFirst { world.tell(event) }
            end(&world)
            if !isFirst { world.tell(event) }
            world.run(for: .seconds(60))
            #expect(world.orders.lowered.count == 1, "\(isFirst)")
        }
    }

    /// Disconnects the station; after the time `awake` suspends the machine for an hour, and reports the
    /// resume `late` later.
    private func suspended(
        after awake: Duration, _ world: inout VirtualWorld, resumedAfter late: Duration = .zero
    ) {
        end(&world)
        world.run(for: awake)
        world.sleep(for: Self.hour)
        world.run(for: late)
        world.tell(.resumed(slept: Self.hour))
    }

    @Test("a station that was disconnected right before a suspend is bounced if no program joins afterwards")
    func leftForSleep() {
        for (awake, late) in [
            (Duration.zero, Duration.zero), (.seconds(5), .seconds(1)), (.seconds(9), .zero),
        ] {
            var world = settled()
            suspended(after: awake, &world, resumedAfter: late)
            world.run(for: .seconds(60))
            #expect(world.reports.cycles.last?.verdict.reason != .disconnectedLocally, "\(awake)")
            #expect(world.orders.lowered.count == 1, "\(awake)")
        }
    }

    @Test("a user's disconnect is respected after all suspends that begin over ten seconds later")
    func leftBeforeSleep() {
        for awake in [Duration.seconds(11), .seconds(60), .seconds(3600)] {
            var world = settled()
            suspended(after: awake, &world)
            world.run(for: .seconds(600))
            world.sleep(for: Self.hour)
            world.tell(.disconnected(Sample.leave))
            world.tell(.resumed(slept: Self.hour))
            world.run(for: Self.hour)
            #expect(world.orders.lowered.isEmpty, "\(awake)")
            #expect(world.reports.cycles.last?.verdict.reason == .disconnectedLocally, "\(awake)")
        }
    }

    @Test("if the owner disconnects and lowers the link for a suspend, and raises it later, it is bounced")
    func loweredForSleep() {
        var world = settled()
        end(&world)
        var link = Sample.link(isUp: false)
        world.tell(.linkChanged(link))
        world.sleep(for: Self.hour)
        world.tell(.resumed(slept: Self.hour))
        link.macAddress = MACAddress([2, 0, 0, 0, 1, 9])
        link.isUp = true
        world.tell(.linkChanged(link))
        world.run(for: .seconds(60))
        #expect(world.orders.lowered.count == 1)
    }

    @Test("setting a link down and up is an attempt to join, unless its hardware address changes")
    func readdressed() {
        for isAnother in [true, false] {
            var world = settled()
            end(&world)
            var link = Sample.link(isUp: false)
            world.tell(.linkChanged(link))
            if isAnother { link.macAddress = MACAddress([2, 0, 0, 0, 1, 9]) }
            world.tell(.linkChanged(link))
            link.isUp = true
            world.tell(.linkChanged(link))
            world.run(for: .seconds(60))
            #expect(world.orders.lowered.isEmpty == isAnother, "\(isAnother)")
            #expect((world.reports.cycles.last?.verdict.reason == .disconnectedLocally) == isAnother)
        }
    }

    @Test(
        "a local disconnect during a check is respected, whatever the check finds",
        arguments: [true, false])
    func whileLooking(isAnswered: Bool) {
        var world = settled {
            $0.fall = 1
            $0.probes = [ProbeSpec(.neighbour(nil))]
        }
        world.tell(.cycleRequested)
        while world.firstOutstanding < 0 { world.run(for: .microseconds(500)) }
        world.link.isInRange = false
        world.hosts.gatewayAnswers = isAnswered
        end(&world)
        if !isAnswered { world.tell(.probeFinished(world.firstOutstanding, Sample.silent)) }
        world.run(for: .seconds(600))
        #expect(world.reports.cycles.last?.verdict.reason == .disconnectedLocally)
        #expect(world.orders.lowered.isEmpty)
    }

    @Test("a disconnection that follows a bounce of this program is no local disconnect")
    func afterBounce() {
        var world = settled()
        world.hosts.gatewayAnswers = false
        world.run(for: .seconds(100))
        #expect(world.orders.lowered.count == 1)
        world.tell(.disconnected(Sample.leave))
        #expect(!world.toggler.localDisconnect.hasLeft)
    }

    @Test(
        "a one-shot cannot know of a local disconnect, and the plain timer ignores it",
        arguments: [RunMode.reconnect, .watch])
    func others(_ runMode: RunMode) {
        var world = settled(runMode == .watch ? .watch : .reconnect) { $0.isForced = runMode == .watch }
        if runMode == .reconnect {
            world = VirtualWorld(runMode)
            world.start()
        }
        end(&world)
        world.run(for: .seconds(120))
        #expect(!world.orders.lowered.isEmpty)
    }
}
