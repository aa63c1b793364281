import Testing

@testable import Model
@testable import Toggling

@Suite("The policy of bounces") struct PolicyTests {
    private static let bounced: [(Layer, Reason)] = [
        (.association, .notAssociated), (.association, .closedByKernel),
        (.association, .notAuthorised(.dormant)), (.address, .noAddress), (.address, .addressNotReady),
        (.gateway, .gatewaySilent([Sample.gateway])),
        (.gateway, .gatewayEchoSilent([Sample.gateway], over: .seconds(300))),
        (.gateway, .gatewayRouteLost([Sample.gateway])),
    ]
    private static let spared: [(Layer, Reason)] = [
        (.dns, .targetSilent([])), (.internet, .targetSilent([])), (.portal, .targetSilent([])),
        (.dns, .nameServerSilent([])), (.dns, .answerWrong(.command("/a"), detail: "")),
        (.internet, .answerWrong(.command("/a"), detail: "")), (.portal, .portal(.command("/a"), detail: "")),
    ]
    private static let never: [(Layer, Reason)] = [
        (.radio, .radioBlocked(.soft)), (.radio, .radioBlocked(.hard)), (.radio, .administrativelyDown),
        (.radio, .interfaceLost),
        (.association, .noCarrier), (.association, .disconnectedLocally),
        (.association, .ssidNotFound(SSID("lab".utf8), others: 7, ago: .seconds(12))),
    ]
    private static let everywhere = LayerSet(Layer.allCases)

    @Test("by default, faults up to the gateway are bounced, and faults beyond the gateway are not")
    func table() {
        for (layer, reason) in Self.bounced + Self.spared {
            let verdict = Verdict(.sick, layer: layer, reason: reason)
            #expect(verdict.callsForBounce(on: Self.everywhere), "\(reason)")
            #expect(!verdict.callsForBounce(on: LayerSet(Layer.allCases.filter { $0 != layer })), "\(reason)")
            let isBounced = Self.bounced.contains { $0 == (layer, reason) }
            #expect(verdict.callsForBounce(on: .bouncedByDefault) == isBounced, "\(reason)")
        }
    }

    @Test("a fault that only another program or a user can undo is never bounced")
    func neverBounced() {
        for (layer, reason) in Self.never {
            #expect(!Verdict(.sick, layer: layer, reason: reason).callsForBounce(on: Self.everywhere))
        }
        #expect(!Layer.eligibleForBounce.contains(.radio))
    }

    @Test("only a sick verdict calls for a bounce", arguments: [Verdict.Conclusion.healthy, .unknown])
    func notSick(_ conclusion: Verdict.Conclusion) {
        for layer in Layer.allCases {
            let verdict = Verdict(conclusion, layer: layer, reason: .gatewaySilent([Sample.gateway]))
            #expect(!verdict.callsForBounce(on: Self.everywhere))
        }
    }
}
