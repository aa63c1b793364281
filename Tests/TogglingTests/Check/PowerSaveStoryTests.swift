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
        world.savesPower = true
        world.start()
        world.run(for: .seconds(3600))
        #expect(world.powerSaveSwitchedOff == 1)
        #expect(world.powerSaveCompared == world.checks)
        world.savesPower = true
        world.run(for: .seconds(61))
        #expect(world.powerSaveSwitchedOff == 2 && world.savesPower == false)
        #expect(world.lowered.isEmpty && world.cycles.allSatisfy { $0.verdict.conclusion == .healthy })
    }

    @Test("power saving is switched off right after an association, not with the next check")
    func association() {
        var world = VirtualWorld(.watch, Self.off)
        world.start()
        world.run(for: .seconds(10))
        world.savesPower = true
        world.tell(.joinAttempted)
        #expect(world.savesPower == false && world.checks.count == 1)
    }

    @Test("power saving is off when a bounce has ended")
    func bounce() throws {
        var world = VirtualWorld(.watch, Self.off)
        world.gatewayAnswers = false
        world.onRaise = {
            $0.gatewayAnswers = true
            $0.savesPower = true
        }
        world.start()
        world.run(until: "restoring")
        #expect(world.savesPower == true)
        world.run(until: "waiting")
        #expect(world.raised.count == 1 && world.savesPower == false)
    }

    @Test(
        "a one-shot that may change the link switches power saving off before its check",
        arguments: [RunMode.toggle, .reconnect])
    func oneShot(runMode: RunMode) throws {
        var world = VirtualWorld(runMode, Self.off)
        world.savesPower = true
        var first: [Effect] = []
        world.recorder = { if first.isEmpty { first = $2 } }
        world.start()
        let place = try #require(first.firstIndex(of: .switchPowerSaveOff(isDryRun: false)))
        let state = try #require(first.firstIndex { if case .kernelState = $0 { true } else { false } })
        #expect(place < state && world.savesPower == false)
    }

    @Test("with power-save leave, and in a probe, power saving is not even queried")
    func leave() {
        for (runMode, powerSave) in [(RunMode.watch, PowerSave.leave), (.probe, .off)] {
            var world = VirtualWorld(runMode, Sample.settings { $0.powerSave = powerSave })
            world.savesPower = true
            world.start()
            world.tell(.joinAttempted)
            world.run(for: .seconds(3600))
            #expect(world.powerSaveCompared.isEmpty && world.savesPower == true)
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
        world.savesPower = true
        world.start()
        world.run(for: .seconds(3600))
        #expect(!world.powerSaveCompared.isEmpty && world.savesPower == true)
    }

    @Test("power saving stays as it is after the option is removed, and after the program has ended")
    func takenBack() {
        var world = VirtualWorld(.watch, Self.off)
        world.savesPower = true
        world.start()
        world.run(for: .seconds(61))
        let asked = world.powerSaveCompared.count
        world.advance(to: Sample.settings { $0.powerSave = .leave })
        world.run(for: .seconds(3600))
        world.tell(.terminationRequested)
        #expect(world.powerSaveCompared.count == asked && world.savesPower == false)
    }
}
