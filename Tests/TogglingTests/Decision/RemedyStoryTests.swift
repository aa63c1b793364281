import Testing

@testable import Model
@testable import Toggling

@Suite("Stories of methods chosen by the evidence") struct RemedyStoryTests {
    private static let gaveUp = OwnerCondition(.networkManager, .gaveUp)
    private static let told = OwnerCondition(.networkManager, .toldToDisconnect)

    @Test(
        "an owner that has given up is told to reconnect, and the link stays up",
        arguments: [RunMode.watch, .reconnect])
    func revived(runMode: RunMode) throws {
        var world = Sample.unassociatedWorld(runMode, owner: Self.gaveUp, mendedBy: .owner)
        world.start()
        world.run(for: .seconds(100))
        #expect(world.orders.tried == [.owner] && world.orders.lowered.isEmpty)
        let cycle = try #require(world.reports.cycles.first { $0.action.summary != nil })
        #expect(cycle.action.summary?.methods == [.owner])
        #expect(cycle.verdict.conclusion == .healthy)
    }

    @Test("an owner that has given up is told to reconnect again and again, and the link is bounced once")
    func askedAgain() {
        var world = Sample.unassociatedWorld(owner: Self.gaveUp, mendedBy: nil)
        world.start()
        world.run(for: .seconds(1800))
        #expect(world.orders.tried.prefix(2) == [.owner, .bounce])
        // The owner is told again after about one, two, four, eight and sixteen minutes.
        #expect((4...6).contains(world.orders.tried.count - 2))
        #expect(world.orders.tried.dropFirst(2).allSatisfy { $0 == .owner })
        #expect(world.orders.lowered.count == 1)
        #expect(world.toggler.limiter.state.inVain == [.owner, .bounce])
        #expect(world.toggler.limiter.helps)
    }

    @Test("after a fault of 100 s has ended, an owner that had given up connects within 90 s")
    func causeGone() {
        var world = Sample.unassociatedWorld(owner: Self.gaveUp, mendedBy: nil)
        world.start()
        world.run(for: .seconds(100))
        world.onMethod = { world, method in if method == .owner { world.link.isInRange = true } }
        world.run(for: .seconds(90))
        #expect(world.reports.cycles.last?.verdict.conclusion == .healthy)
        #expect(world.orders.lowered.count == 1)
    }

    @Test("if the owner tries again by itself, the link may be bounced a second time")
    func bouncedAgain() {
        var world = Sample.unassociatedWorld(owner: Self.gaveUp, mendedBy: nil)
        world.start()
        world.run(for: .seconds(100))
        #expect(world.orders.lowered.count == 1)
        world.conditions.owner = nil
        world.run(for: .seconds(200))
        #expect(world.orders.lowered.count > 1)
    }

    @Test("if the owner's reconnect does not help, the link is bounced")
    func bounced() {
        var world = Sample.unassociatedWorld(.reconnect, owner: Self.gaveUp, mendedBy: .bounce)
        world.start()
        world.run(for: .seconds(200))
        #expect(world.orders.tried == [.owner, .bounce])
        #expect(world.reports.outcome == .healthy)
    }

    @Test(
        "a station that joins while its owner is being queried is left alone",
        arguments: [RunMode.watch, .reconnect]
    )
    func joinedMeanwhile(runMode: RunMode) {
        var world = Sample.unassociatedWorld(runMode, mendedBy: nil)
        world.onOwnerQuestion = { $0.link.isInRange = true }
        world.start()
        world.run(for: .seconds(100))
        #expect(world.orders.tried.isEmpty && world.orders.questionsForOwner == 1)
        #expect(world.reports.cycles.last?.verdict.conclusion == .healthy)
    }

    @Test(
        "if the station joins while its owner is queried between two methods, no further method is tried",
        arguments: [RunMode.watch, .reconnect])
    func joinedBetween(runMode: RunMode) throws {
        var world = Sample.unassociatedWorld(runMode, owner: Self.gaveUp, mendedBy: nil)
        world.onOwnerQuestion = { world in if !world.orders.tried.isEmpty { world.link.isInRange = true } }
        world.start()
        world.run(for: .seconds(100))
        #expect(world.orders.tried == [.owner])
        let cycle = try #require(world.reports.cycles.first { $0.action.summary != nil })
        #expect(cycle.verdict.conclusion == .healthy && cycle.action.summary?.methods == [.owner])
    }

    @Test("if the owner is still trying, or cannot be queried, the link is bounced, and the owner left alone")
    func atWork() {
        var world = Sample.unassociatedWorld(.reconnect, mendedBy: .bounce)
        world.start()
        world.run(for: .seconds(100))
        #expect(world.orders.tried == [.bounce] && world.orders.questionsForOwner == 1)
    }

    @Test(
        "an owner that gives up, dies or hangs in the bounce is told or restarted at once",
        arguments: [RunMode.watch, .reconnect, .toggle],
        [gaveUp, OwnerCondition(.supplicant, .dead), OwnerCondition(.networkManager, .hung)])
    func lostInBounce(runMode: RunMode, condition: OwnerCondition) throws {
        let remedy = try #require(condition.kind.remedy)
        var world = Sample.unassociatedWorld(runMode, mendedBy: remedy)
        world.onRaise = { $0.conditions.owner = condition }
        world.start()
        world.run(for: .seconds(120))
        #expect(world.orders.tried == [.bounce, remedy])
        let cycle = try #require(world.reports.cycles.first { $0.action.summary != nil })
        #expect(cycle.action.summary?.methods == [.bounce, remedy])
        #expect(cycle.verdict.conclusion == .healthy)
        if runMode != .watch { #expect(world.reports.outcome == .healthy) }
    }

    @Test(
        "after a bounce in vain, an owner at work, or told to disconnect, is left alone",
        arguments: [nil, told])
    func notLostInBounce(condition: OwnerCondition?) throws {
        var world = Sample.unassociatedWorld(.reconnect, mendedBy: nil)
        world.onRaise = { $0.conditions.owner = condition }
        world.start()
        world.run(for: .seconds(120))
        #expect(world.orders.tried == [.bounce] && world.orders.questionsForOwner == 2)
        #expect(world.reports.outcome == .sick)
    }

    @Test("if the user names the bounce alone, nothing follows it, even if the owner gives up in it")
    func namedAlone() {
        var world = Sample.unassociatedWorld(.reconnect, mendedBy: .owner) { $0.methods = [.bounce] }
        world.onRaise = { $0.conditions.owner = Self.gaveUp }
        world.start()
        world.run(for: .seconds(120))
        #expect(world.orders.tried == [.bounce] && world.orders.questionsForOwner == 0)
    }

    @Test("if a user told the owner to disconnect, the link is left alone, and the evidence says so")
    func obeyed() throws {
        var world = Sample.unassociatedWorld(owner: Self.told, mendedBy: nil)
        world.start()
        world.run(for: .seconds(3600))
        #expect(world.orders.tried.isEmpty)
        let cycle = try #require(world.reports.cycles.last)
        #expect(cycle.action == .held(.toldToDisconnect(.networkManager)))
        #expect(cycle.verdict.evidence.last == .owner(Self.told))
        // Once the user no longer wants the link disconnected, the link is bounced.
        world.conditions.owner = nil
        world.run(for: .seconds(61))
        #expect(world.orders.tried.first == .bounce)
    }

    @Test("a dry run reports the owner's condition and the methods that it would try, and does nothing")
    func dryRun() {
        var world = Sample.unassociatedWorld(.reconnect, owner: Self.gaveUp, mendedBy: nil) {
            $0.isDryRun = true
        }
        world.start()
        world.run(for: .seconds(100))
        #expect(world.orders.tried.isEmpty)
        #expect(world.reports.cycles.last?.action == .skipped(.dryRun([.owner, .bounce])))
        #expect(world.reports.cycles.last?.verdict.evidence.last == .owner(Self.gaveUp))
    }

    @Test("methods that a user names are tried in any case, and no owner is queried")
    func named() {
        var world = Sample.unassociatedWorld(.reconnect, owner: Self.told, mendedBy: .bounce) {
            $0.methods = [.bounce]
        }
        world.start()
        world.run(for: .seconds(100))
        #expect(world.orders.tried == [.bounce] && world.orders.questionsForOwner == 0)
    }

    @Test("a fault above the association queries no owner, nor do timer and toggle before they bounce")
    func unasked() {
        var silent = VirtualWorld(.reconnect)
        silent.hosts.gatewayAnswers = false
        silent.conditions.owner = Self.gaveUp
        silent.start()
        silent.run(for: .seconds(100))
        #expect(silent.orders.tried == [.bounce] && silent.orders.questionsForOwner == 0)
        for (runMode, isForced) in [(RunMode.toggle, false), (.watch, true), (.reconnect, true)] {
            var world = Sample.unassociatedWorld(runMode, owner: Self.told, mendedBy: nil) {
                $0.isForced = isForced
            }
            world.start()
            world.run(for: .seconds(50))
            #expect(world.orders.tried == [.bounce] && world.orders.questionsForOwner == 1, "\(runMode)")
        }
    }

    private static let dead = OwnerCondition(.iwd, .dead)

    @Test("an owner that is dead or hung is restarted", arguments: [OwnerCondition.Kind.dead, .hung])
    func restarted(kind: OwnerCondition.Kind) throws {
        var world = Sample.unassociatedWorld(owner: OwnerCondition(.iwd, kind), mendedBy: .restartOwner)
        world.start()
        world.run(for: .seconds(100))
        #expect(world.orders.tried == [.restartOwner] && world.orders.lowered.isEmpty)
        let cycle = try #require(world.reports.cycles.first { $0.action.summary != nil })
        #expect(cycle.verdict.conclusion == .healthy)
    }

    /// A world whose station was healthy and has just left its network, as it does on a user's command.
    private static func left(
        _ condition: OwnerCondition?, mendedBy cure: Model.Method?,
        _ change: (inout Settings) -> Void = { _ in }
    ) -> VirtualWorld {
        var world = Sample.unassociatedWorld(owner: condition, mendedBy: cure, change)
        (world.link.isInRange, world.link.heard) = (true, [Sample.own])
        world.start()
        world.run(for: .seconds(70))
        world.link.isInRange = false
        world.tell(.disconnected(nil))
        world.tell(.disconnected(Sample.leave))
        return world
    }

    @Test(
        "an owner that dies or hangs after a healthy time is restarted, since this is no user's disconnect",
        arguments: [OwnerCondition.Kind.dead, .hung])
    func diedWhileWatched(kind: OwnerCondition.Kind) throws {
        var world = Self.left(OwnerCondition(.iwd, kind), mendedBy: .restartOwner)
        world.run(for: .seconds(60))
        #expect(world.orders.tried == [.restartOwner] && world.orders.lowered.isEmpty)
        #expect(world.reports.cycles.last?.verdict.conclusion == .healthy)
    }

    @Test("an owner is also restarted if the service manager gives it up some time after the disconnect")
    func diedLater() {
        var world = Self.left(nil, mendedBy: .restartOwner)
        world.run(for: .seconds(120))
        #expect(world.orders.tried.isEmpty)
        world.conditions.owner = Self.dead
        world.run(for: .seconds(61))
        #expect(world.orders.tried == [.restartOwner])
    }

    @Test(
        "after a local disconnect a working owner is left alone, and queried for five minutes",
        arguments: [nil, OwnerCondition.Kind.gaveUp, .toldToDisconnect])
    func stayedAway(kind: OwnerCondition.Kind?) {
        var world = Self.left(kind.map { OwnerCondition(.networkManager, $0) }, mendedBy: nil)
        world.run(for: .seconds(7200))
        #expect(world.orders.tried.isEmpty)
        #expect((1...6).contains(world.orders.questionsForOwner))
        #expect(world.reports.cycles.last?.action == .skipped(.cannotHelp(.association)))
    }

    @Test(
        "after a local disconnect, a useless restart of a dead owner is not repeated, and no bounce follows")
    func diedInVain() {
        var world = Self.left(Self.dead, mendedBy: nil)
        world.run(for: .seconds(7200))
        #expect(world.orders.tried == [.restartOwner])
    }

    @Test(
        "if the machine left its network and the dead owner cannot be restarted, no method follows",
        arguments: [Failure.Kind.unavailable, .other])
    func diedAndStaysDead(kind: Failure.Kind) {
        var world = Self.left(Self.dead, mendedBy: nil) { $0.methodsBesideAuto = [.reset] }
        world.refused[.restartOwner] = Failure(kind: kind, description: "no")
        world.run(for: .seconds(900))
        #expect(Set(world.orders.tried) == [.restartOwner] && world.orders.lowered.isEmpty)
        #expect(world.orders.tried.count <= (kind == .unavailable ? 10 : 3), "\(world.orders.tried.count)")
    }

    @Test(
        "an owner that is restarted may set the link down for a moment",
        arguments: [RunMode.watch, .reconnect])
    func shortDown(runMode: RunMode) throws {
        var world = Sample.unassociatedWorld(
            runMode, owner: OwnerCondition(.networkManager, .hung), mendedBy: nil)
        world.onMethod = { world, method in if method == .restartOwner { world.link.isUp = false } }
        world.start()
        world.run(for: .seconds(20))
        #expect(world.orders.tried == [.restartOwner] && !world.link.isUp)
        (world.link.isUp, world.link.isInRange) = (true, true)
        world.run(for: .seconds(20))
        #expect(world.orders.tried == [.restartOwner] && world.orders.lowered.isEmpty)
        let cycle = try #require(world.reports.cycles.first { $0.action.summary != nil })
        #expect(cycle.verdict.conclusion == .healthy)
    }

    @Test("a useless restart is not repeated in the same outage, a useless bounce is")
    func notTwice() {
        var world = Sample.unassociatedWorld(owner: Self.dead, mendedBy: nil)
        world.start()
        world.run(for: .seconds(7200))
        #expect(world.orders.tried.prefix(3) == [.restartOwner, .bounce, .bounce])
        #expect(world.orders.tried.count { $0 == .restartOwner } == 1)
    }

    @Test(
        "a method named beside auto follows the bounce that did not help",
        arguments: [RunMode.watch, .reconnect]
    )
    func lastResort(runMode: RunMode) throws {
        var world = Sample.unassociatedWorld(runMode, owner: Self.gaveUp, mendedBy: .reset) {
            $0.methodsBesideAuto = [.reset]
        }
        world.start()
        world.run(for: .seconds(300))
        #expect(world.orders.tried == [.owner, .bounce, .reset])
        let cycle = try #require(world.reports.cycles.first { $0.action.summary != nil })
        #expect(cycle.verdict.conclusion == .healthy)
        #expect(cycle.action.summary?.methods == [.owner, .bounce, .reset])
    }

    @Test("a useless last resort is repeated in the next outage, but not in the same one")
    func lastResortOnce() {
        var world = Sample.unassociatedWorld(mendedBy: nil) { $0.methodsBesideAuto = [.rfkill, .reset] }
        world.start()
        world.run(for: .seconds(7200))
        #expect(world.orders.tried.prefix(4) == [.bounce, .rfkill, .reset, .bounce])
        #expect(world.orders.tried.dropFirst(3).allSatisfy { $0 == .bounce })
        world.link.isInRange = true
        world.run(for: .seconds(3600))
        world.link.isInRange = false
        world.run(for: .seconds(7200))
        #expect(world.orders.tried.count { $0 == .reset } == 2)
    }

    @Test("if a user told the owner to disconnect, the link is left alone, also with methods beside auto")
    func lastResortToldToLeave() {
        var world = Sample.unassociatedWorld(owner: Self.told, mendedBy: nil) {
            $0.methodsBesideAuto = [.reset]
        }
        world.start()
        world.run(for: .seconds(7200))
        #expect(world.orders.tried.isEmpty)
    }

    @Test("a useless restart is not repeated if only the layer of the fault has changed")
    func notTwiceElsewhere() {
        var world = Sample.unassociatedWorld(owner: Self.dead, mendedBy: nil)
        world.onMethod = { world, method in
            guard method == .restartOwner else { return }
            (world.link.isInRange, world.link.hasAddress) = (true, false)
        }
        world.start()
        world.run(for: .seconds(7200))
        #expect(world.orders.tried.count { $0 == .restartOwner } == 1)
    }

    @Test("if an owner gives up after its restart, it is asked, and the link is not bounced again in vain")
    func gaveUpAfterRestart() {
        var world = Sample.unassociatedWorld(owner: Self.gaveUp, mendedBy: nil)
        world.start()
        world.run(for: .seconds(300))
        #expect(Set(world.orders.tried) == [.owner, .bounce])
        let before = world.orders.tried.count
        world.conditions.owner = Self.dead
        world.onMethod = { world, method in
            if method == .restartOwner { world.conditions.owner = Self.gaveUp }
        }
        world.run(for: .seconds(3600))
        #expect(world.orders.tried.dropFirst(before).contains(.restartOwner))
        #expect(!world.orders.tried.dropFirst(before).contains(.bounce))
    }

    @Test(
        "a named owner or restart-owner method runs whatever the owner's condition, also after other methods")
    func namedInLadder() {
        var world = Sample.unassociatedWorld(mendedBy: .bounce) {
            $0.methods = [.reassociate, .owner, .restartOwner, .bounce]
        }
        world.start()
        world.run(for: .seconds(300))
        #expect(world.orders.tried == [.reassociate, .owner, .restartOwner, .bounce])
    }
}
