import Testing

@testable import Model
@testable import Toggling

/// The program keeps power saving off.
@Suite("Stories of power saving") struct PowerSaveStoryTests {
    private static let off = Sample.settings { $0.powerSave = .off }

    /// With `auto`, a driver file decides. The environment reads that file, so the toggler's effects are the
    /// same.
    @Test(
        "power saving is switched off at the first check, and again if another program switches it on",
        arguments: [PowerSave.off, .auto])
    func keptOff(_ powerSave: PowerSave) {
        var world = VirtualWorld(.watch, Sample.settings { $0.powerSave = powerSave })
        world.conditions.savesPower = true
        world.start()
        world.run(for: .seconds(3600))
        #expect(world.orders.powerSaveSwitchedOff == 1)
        #expect(world.orders.powerSaveCompared == world.orders.checks)
        world.conditions.savesPower = true
        world.run(for: .seconds(61))
        #expect(world.orders.powerSaveSwitchedOff == 2 && world.conditions.savesPower == false)
        #expect(
            world.orders.lowered.isEmpty
                && world.reports.cycles.allSatisfy { $0.verdict.conclusion == .healthy })
    }

    @Test("power saving is switched off right after an association, not with the next check")
    func association() {
        var world = VirtualWorld(.watch, Self.off)
        world.start()
        world.run(for: .seconds(10))
        world.conditions.savesPower = true
        world.tell(.joinAttempted)
        #expect(world.conditions.savesPower == false && world.orders.checks.count == 1)
    }

    @Test("power saving is off when a bounce has ended")
    func bounce() throws {
        var world = VirtualWorld(.watch, Self.off)
        world.hosts.gatewayAnswers = false
        world.onRaise = {
            $0.hosts.gatewayAnswers = true
            $0.conditions.savesPower = true
        }
        world.start()
        world.run(until: "restoring")
        #expect(world.conditions.savesPower == true)
        world.run(until: "waiting")
        #expect(world.orders.raised.count == 1 && world.conditions.savesPower == false)
    }

    @Test(
        "a one-shot that may change the link switches power saving off before its check",
        arguments: [RunMode.toggle, .reconnect])
    func oneShot(runMode: RunMode) throws {
        var world = VirtualWorld(runMode, Self.off)
        world.conditions.savesPower = true
        var first: [Effect] = []
        world.recorder = { if first.isEmpty { first = $2 } }
        world.start()
        let place = try #require(first.firstIndex(of: .switchPowerSaveOff(isDryRun: false)))
        let state = try #require(first.firstIndex { if case .kernelState = $0 { true } else { false } })
        #expect(place < state && world.conditions.savesPower == false)
    }

    @Test("with power-save leave, and in a probe, power saving is not even queried")
    func leave() {
        for (runMode, powerSave) in [(RunMode.watch, PowerSave.leave), (.probe, .off)] {
            var world = VirtualWorld(runMode, Sample.settings { $0.powerSave = powerSave })
            world.conditions.savesPower = true
            world.start()
            world.tell(.joinAttempted)
            world.run(for: .seconds(3600))
            #expect(world.orders.powerSaveCompared.isEmpty && world.conditions.savesPower == true)
        }
    }

    @Test("a dry run queries power saving, and switches nothing")
    func dryRun() {
        var world = VirtualWorld(
            .watch,
            Sample.settings {
                $0.powerSave = .off
                $0.isDryRun = true
            })
        world.conditions.savesPower = true
        world.start()
        world.run(for: .seconds(3600))
        #expect(!world.orders.powerSaveCompared.isEmpty && world.conditions.savesPower == true)
    }

    @Test("power saving stays as it is after the option is removed, and after the program has ended")
    func takenBack() {
        var world = VirtualWorld(.watch, Self.off)
        world.conditions.savesPower = true
        world.start()
        world.run(for: .seconds(61))
        let asked = world.orders.powerSaveCompared.count
        world.advance(to: Sample.settings { $0.powerSave = .leave })
        world.run(for: .seconds(3600))
        world.tell(.terminationRequested)
        #expect(world.orders.powerSaveCompared.count == asked && world.conditions.savesPower == false)
    }
}
