import Testing

@testable import Model
@testable import Toggling

/// An access point must stop sending when it detects radar, and then wait (CAC) before it sends on another
/// channel.
@Suite("Stories of DFS channels") struct DFSStoryTests {
    /// A world with a healthy link on this frequency, whose access point then falls silent; scans find
    /// nothing.
    private func silent(on frequency: UInt32?) -> VirtualWorld {
        var world = VirtualWorld(.watch, Sample.settings())
        world.link.frequency = frequency
        world.start()
        world.run(for: .seconds(70))
        #expect(world.toggler.health.condition == .healthy)
        world.link.isInRange = false
        world.tell(.disconnected(nil))
        return world
    }

    /// Seconds from the loss to the bounce; nil: there was no bounce within the duration.
    private func bounce(on frequency: UInt32?, within duration: Duration) -> Int64? {
        var world = silent(on: frequency)
        let lost = world.now - world.begun
        world.run(for: duration)
        return world.orders.lowered.first.map { ($0 - lost).components.seconds }
    }

    @Test(
        "a silent link is not bounced for a minute on a DFS channel, or for ten on a weather-radar channel",
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

    @Test("the report gives reason and end of the wait, and no bounce follows if the access point returns")
    func back() {
        var world = silent(on: 5500)
        world.run(for: .seconds(58))
        guard case .held(.awaitingCAC(5500, let until))? = world.reports.cycles.last?.action else {
            Issue.record("\(String(describing: world.reports.cycles.last?.action))")
            return
        }
        #expect((6...8).contains((until - world.now).components.seconds))
        #expect(world.reports.cycles.last?.next == NextCheck(at: until, why: .grace))
        world.link.isInRange = true
        world.tell(.addressingChanged)
        world.run(for: .seconds(300))
        #expect(world.orders.lowered.isEmpty)
        #expect(world.toggler.health.condition == .healthy)
    }

    @Test("the link is bounced if the access point is heard again, but the station does not join")
    func heard() {
        var world = silent(on: 5620)
        world.run(for: .seconds(30))
        #expect(world.orders.lowered.isEmpty)
        world.link.heard = [Sample.own]
        world.tell(.scanFinished)
        world.run(for: .seconds(20))
        #expect(world.orders.lowered.count == 1)
    }

    @Test("time with the radio blocked does not prolong the permitted silence")
    func deaf() throws {
        var world = silent(on: 5500)
        let lost = world.now - world.begun
        world.run(for: .seconds(20))
        world.link.radio = .soft
        world.tell(.radioChanged(.soft))
        world.run(for: .seconds(20))
        world.link.radio = .none
        world.tell(.radioChanged(.none))
        world.run(for: .seconds(120))
        let bounce = try #require(world.orders.lowered.first)
        #expect((65...75).contains((bounce - lost).components.seconds), "\(bounce - lost)")
    }
}
