import Testing

@testable import Model
@testable import Toggling

@Suite("The owner of a simulated machine's interface") struct SimulatedOwnerTests {
    private let start = Life.beginning

    private static func owner(isConnected: Bool) -> SimulatedOwner {
        SimulatedOwner(isConnected: isConnected, Chance(seed: 1))
    }

    /// Takes the next step at its time.
    private func next(_ owner: inout SimulatedOwner) throws -> (step: SimulatedOwner.Step?, at: Instant) {
        let instant = try #require(owner.nextStep)
        let early = owner.step(at: Instant(nanoseconds: instant.nanoseconds - 1))
        #expect(early == nil)
        return (owner.step(at: instant), instant)
    }

    @Test("the owner joins after the time of a scan, and gets an address that it requests after that")
    func joins() throws {
        var owner = Self.owner(isConnected: false)
        owner.requestAddress(at: start)
        #expect(owner.nextStep == nil, "there is no association yet")
        owner.join(.scanning, at: start)
        let joined = try next(&owner)
        #expect(joined.step == .joined && (3.9...4.2).contains((joined.at - start).inSeconds))
        #expect(owner.isAssociated && !owner.hasAddress && owner.associations == 1)
        owner.requestAddress(at: joined.at)
        let addressed = try next(&owner)
        #expect(addressed.step == .gotAddress && owner.hasAddress)
        #expect((0.1...0.5).contains((addressed.at - joined.at).inSeconds))
        owner.join(.scanning, at: addressed.at)
        #expect(owner.nextStep == nil, "it has joined already")
    }

    @Test("an owner that leaves loses its address, and gives up its attempt to join and its address request")
    func leaves() {
        var owner = Self.owner(isConnected: true)
        owner.requestAddress(at: start)
        let hadJoined = owner.leave()
        #expect(hadJoined && !owner.isAssociated && !owner.hasAddress && owner.nextStep == nil)
        owner.join(.rejoining, at: start)
        #expect(owner.nextStep != nil)
        let hadJoinedAgain = owner.leave()
        #expect(!hadJoinedAgain && owner.nextStep == nil)
    }

    @Test("without a DHCP server the owner loses its address, and gets one soon after the server returns")
    func lease() throws {
        var owner = Self.owner(isConnected: true)
        owner.serverDied(at: start)
        let end = owner.nextStep
        owner.serverDied(at: start + .hours(1))
        #expect(owner.nextStep == end, "the lease has not begun anew")
        let ended = try next(&owner)
        #expect(ended.step == .leaseEnded && owner.isAssociated && !owner.hasAddress)
        #expect((6...12).contains((ended.at - start).inSeconds / 3600))
        owner.serverReturned(at: ended.at)
        let addressed = try next(&owner)
        #expect(addressed.step == .gotAddress && owner.hasAddress)
        #expect((0...60).contains((addressed.at - ended.at).inSeconds))
        owner.serverDied(at: addressed.at)
        owner.serverReturned(at: addressed.at)
        #expect(owner.hasAddress && owner.nextStep == nil, "the lease is renewed")
    }
}
