import Testing

@testable import Model
@testable import Toggling

@Suite("The table of --method auto") struct RemedyTableTests {
    @Test("each evidence is in one row")
    func complete() {
        #expect(RemedyRow.table.count == RemedyRow.Evidence.allCases.count)
        #expect(Set(RemedyRow.table.map(\.evidence)) == Set(RemedyRow.Evidence.allCases))
    }

    @Test(
        "with each evidence, the methods of its row are tried in their order, and no others",
        arguments: RemedyRow.table)
    func tried(row: RemedyRow) {
        for var world in Self.worlds(row.evidence) {
            world.run(for: .seconds(600))
            var tried = world.orders.tried
            // Such a fault begins with the bounce after which the kernel does not raise the link.
            if row.evidence == .notRaised { #expect(tried.removeFirst() == .bounce) }
            #expect(Array(tried.prefix(row.methods.count)) == row.methods)
            #expect(Set(tried) == Set(row.methods))
        }
    }

    /// Worlds whose link has this fault, which no method cures.
    private static func worlds(_ evidence: RemedyRow.Evidence) -> [VirtualWorld] {
        switch evidence {
        case .interfaceLost: LossOfInterface.allCases.map { LostInterfaceStoryTests.world($0) }
        case .radioRefuses: RadioCondition.all.map { unassociated(radio: $0) }
        case .gaveUp: [unassociated(owner: OwnerCondition(.networkManager, .gaveUp))]
        case .deadOrHung: dead.map { unassociated(owner: $0) }
        case .lostDevices: [unassociated(owner: OwnerCondition(.iwd, .lostDevices))]
        case .toldToDisconnect: [unassociated(owner: OwnerCondition(.networkManager, .toldToDisconnect))]
        case .noCondition: [unassociated()]
        case .leftByDeadOwner: (dead + [OwnerCondition(.iwd, .lostDevices)]).map { left(owner: $0) }
        case .left: [left(owner: nil)]
        case .resolverFails: [ResolverStoryTests.world(OwnerCondition(.resolved, .hung))]
        case .notExamined: [silent()]
        case .notRaised: [notRaised()]
        }
    }

    private static let dead = [OwnerCondition(.supplicant, .dead), OwnerCondition(.supplicant, .hung)]

    private static func unassociated(
        owner: OwnerCondition? = nil, radio: RadioCondition? = nil
    ) -> VirtualWorld {
        var world = Sample.unassociatedWorld(owner: owner, radio: radio, mendedBy: nil)
        world.start()
        return world
    }

    /// The station leaves its network after a while.
    private static func left(owner: OwnerCondition?) -> VirtualWorld {
        var world = VirtualWorld(.watch, Sample.settings())
        world.link.heard = [Sample.own]
        world.start()
        world.run(for: .seconds(70))
        (world.link.isInRange, world.conditions.owner) = (false, owner)
        world.tell(.disconnected(Sample.leave))
        return world
    }

    private static func silent() -> VirtualWorld {
        var world = VirtualWorld(.watch, Sample.settings())
        world.hosts.gatewayAnswers = false
        world.start()
        return world
    }

    private static func notRaised() -> VirtualWorld {
        var world = RefusedRaiseStoryTests.world()
        world.start()
        return world
    }
}
