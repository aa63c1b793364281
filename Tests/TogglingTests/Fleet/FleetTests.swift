import Testing

@testable import Model
@testable import Toggling

/// Many boxes with the same outage: a few here, a hundred thousand in contrib/bench/fleet.
@Suite("A fleet") struct FleetTests {
    private static let boxes: Range<UInt64> = 1..<41
    private static let hour = Int(Box.outage.inSeconds)

    private static func load(_ resort: Resort, under trouble: Trouble) async -> Load {
        var load = Load()
        for number in boxes {
            load.add(resort.story(of: number, under: trouble))
            await Task.yield()  // tests that depend on time run beside this one
        }
        return load
    }

    @Test("after an access point's outage of an hour all boxes reconnect soon, not in the same second")
    func comeBackSpread() async throws {
        let load = await Self.load(.wifiToggler, under: .accessPointDead)
        // The longest pause between an owner's scans, then the handshake and the address.
        #expect(try #require(load.allWellAt) < 30)
        #expect(load.busiest(0..<Self.hour) <= Self.boxes.count / 4)
    }

    @Test("an outage of an hour costs a box a few bounces; without back-off, one a minute")
    func fewBounces() async {
        let restrained = await Self.load(.wifiToggler, under: .accessPointDead)
        let unrestrained = await Self.load(.noBackoff, under: .accessPointDead)
        #expect(restrained.mostBounces <= 5)
        #expect(unrestrained.bouncesEach > 10 * restrained.bouncesEach)
    }

    @Test("boxes in step, without jitter and back-off, reconnect in one second")
    func inStep() async {
        let load = await Self.load(.neither, under: .accessPointDead)
        #expect(load.busiest(0..<Self.hour) == Self.boxes.count)
    }

    @Test(
        "a provider's outage of an hour makes no box leave its access point; watchcat's boxes do"
    )
    func staysAssociated() async {
        let load = await Self.load(.wifiToggler, under: .providerDead)
        #expect(load.bounces == 0 && load.joins.isEmpty)
        #expect(load.allWellAt == 0)
        let others = await Self.load(.watchcat, under: .providerDead)
        #expect(others.bouncesEach >= 29)
    }
}
