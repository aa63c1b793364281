import Testing

@testable import Model
@testable import Toggling

/// Many boxes with the same outage: a few here, a hundred thousand in contrib/bench/fleet.
@Suite("A simulated fleet of machines") struct FleetTests {
    private static let boxes: Range<UInt64> = 1..<41
    private static let hour = Int(Box.outage.inSeconds)

    private static func load(_ resort: Resort, under trouble: Trouble) async -> Load {
        var load = Load()
        for number in boxes {
            load.add(resort.story(of: number, under: trouble))
            await Task.yield()  // tests that depend on time run at the same time
        }
        return load
    }

    @Test("after an access point's outage of an hour all machines reconnect soon, not in the same second")
    func comeBackSpread() async throws {
        let load = await Self.load(.wifiToggler, under: .accessPointDead)
        // At most the owner's longest pause between scans, the handshake and the address exchange.
        #expect(try #require(load.allWellAt) < 30)
        #expect(load.busiest(0..<Self.hour) <= Self.boxes.count / 4)
    }

    @Test("without back-off and budget, machines bounce over ten times as often in an outage as with both")
    func fewBounces() async {
        let restrained = await Self.load(.wifiToggler, under: .accessPointDead)
        let unrestrained = await Self.load(.noBackoff, under: .accessPointDead)
        #expect(restrained.mostBounces <= 5)
        #expect(unrestrained.bouncesEach > 10 * restrained.bouncesEach)
    }

    @Test("machines in step, without jitter and back-off, reconnect in the same second")
    func inStep() async {
        let load = await Self.load(.neither, under: .accessPointDead)
        #expect(load.busiest(0..<Self.hour) == Self.boxes.count)
    }

    @Test(
        "in a provider's outage of an hour no machine bounces; with watchcat each machine does many times"
    )
    func staysAssociated() async {
        let load = await Self.load(.wifiToggler, under: .providerDead)
        #expect(load.bounces == 0 && load.joins.isEmpty)
        #expect(load.allWellAt == 0)
        let others = await Self.load(.watchcat, under: .providerDead)
        #expect(others.bouncesEach >= 29)
    }
}
