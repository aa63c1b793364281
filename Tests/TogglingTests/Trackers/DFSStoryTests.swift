import Testing

@testable import Model
@testable import Toggling

/// Access points that have to stop sending because of radar.
@Suite("Stories of DFS channels") struct DFSStoryTests {
    /// Healthy on a channel, then the access point is silent, and scans find nothing.
    private func silent(on frequency: UInt32?) -> VirtualWorld {
        var world = VirtualWorld(.watch, Sample.settings())
        world.frequency = frequency
        world.start()
        world.run(for: .seconds(70))
        #expect(world.toggler.health.condition == .healthy)
        world.isInTheAir = false
        world.tell(.disconnected(nil))
        return world
    }

    /// Seconds from the loss to the bounce, in a sufficient time; nil: there was none.
    private func bounce(on frequency: UInt32?, within duration: Duration) -> Int64? {
        var world = silent(on: frequency)
        let lost = world.now - world.begun
        world.run(for: duration)
        return world.lowered.first.map { ($0 - lost).components.seconds }
    }

    @Test(
        "silence is not bounced for a minute on DFS channels, for ten on weather radar's",
        arguments: [
            (2412, nil), (5240, nil), (5260, 65), (5340, 65), (5360, nil), (5460, nil), (5480, 65),
            (5580, 65),
            (5600, 605), (5640, 605), (5660, 65), (5720, 65), (5745, nil), (nil, nil),
        ] as [(UInt32?, Int64?)])
    func silence(_ frequency: UInt32?, _ seconds: Int64?) throws {
        let bounced = try #require(self.bounce(on: frequency, within: .seconds(700)))
        if let seconds {
            #expect((seconds...seconds + 1).contains(bounced), "\(bounced) s")
        } else {
            #expect(bounced < 60, "\(bounced) s")
        }
    }

    @Test("the report gives reason and end of the wait, and an access point that returns is not bounced")
    func back() {
        var world = silent(on: 5500)
        world.run(for: .seconds(58))
        guard case .held(.awaitingCAC(5500, let until))? = world.cycles.last?.action else {
            Issue.record("\(String(describing: world.cycles.last?.action))")
            return
        }
        #expect((6...8).contains((until - world.now).components.seconds))
        #expect(world.cycles.last?.next == NextCheck(at: until, why: .grace))
        world.isInTheAir = true
        world.tell(.addressingChanged)
        world.run(for: .seconds(300))
        #expect(world.lowered.isEmpty)
        #expect(world.toggler.health.condition == .healthy)
    }

    @Test("a link is bounced if the access point is heard again and not joined")
    func heard() {
        var world = silent(on: 5620)
        world.run(for: .seconds(30))
        #expect(world.lowered.isEmpty)
        world.heard = [Sample.own]
        world.tell(.scanFinished)
        world.run(for: .seconds(20))
        #expect(world.lowered.count == 1)
    }

    @Test("time with the radio blocked does not prolong the permitted silence")
    func deaf() throws {
        var world = silent(on: 5500)
        let lost = world.now - world.begun
        world.run(for: .seconds(20))
        world.radio = .soft
        world.tell(.radioChanged(.soft))
        world.run(for: .seconds(20))
        world.radio = .none
        world.tell(.radioChanged(.none))
        world.run(for: .seconds(120))
        let bounce = try #require(world.lowered.first)
        #expect((65...75).contains((bounce - lost).components.seconds), "\(bounce - lost)")
    }
}
