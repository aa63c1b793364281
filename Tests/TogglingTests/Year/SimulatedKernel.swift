@testable import Model
@testable import Toggling

/// The kernel of a simulated machine at a time: what it answers about the interface, and to commands.
struct SimulatedKernel {
    let station: Station
    let situation: Situation
    let chance: Chance
    let now: Instant

    /// The length of the periods in each of which the machine is either in use or idle.
    private static let useSpan: Duration = .minutes(10)
    private static let shareInUse = 0.4
    /// The length of the periods in each of which a busy device refuses all commands or none, and the share
    /// of those in which it refuses.
    private static let refusalSpan: Duration = .seconds(8)
    private static let shareRefused = 0.4

    private var interface: SimulatedInterface { station.interface }

    // MARK: The kernel state

    var state: KernelState {
        var association = Sample.association
        association.bssid = MACAddress([2, 0, 0, 0, 0, interface.owner.associations])!
        let address = InterfaceAddress(address: .v4(0x0a4d_0002), prefixLength: 24, reachesBeyondLink: true)
        let isAssociated = interface.isAssociated
        return KernelState(
            link: interface.link(at: now), radio: station.troubles.isRadioBlocked ? .soft : .none,
            wireless: Wireless(role: .station, phy: 0, association: isAssociated ? association : nil),
            addresses: hasUpperLayers ? [address] : [],
            gateways: hasUpperLayers ? [Gateway(address: Sample.gateway, neighbour: neighbour)] : [])
    }

    /// The interface's state, or its last one if its device has lost it and the details ask for that; nil:
    /// there is no interface.
    func state(with details: KernelState.Details) -> KernelState? {
        if details.lossOfInterface, let loss = interface.loss {
            var state = loss.lastState
            state.radioCondition = .lostInterface(loss.kind)
            return state
        }
        guard interface.isPresent else { return nil }
        var state = state
        let troubles = station.troubles.all
        if details.failedLookup != nil {
            let isAtFault = troubles.contains(.resolverHung)
            state.ownerCondition = isAtFault ? OwnerCondition(.resolved, .hung) : nil
            return state
        }
        let radio = troubles.compactMap(\.radioCondition).first
        if details.ownerCondition {
            state.ownerCondition = troubles.compactMap(\.ownerCondition).first
            state.radioCondition = radio
        }
        if radio == .closed { state.radioCondition = radio }
        return state
    }

    /// How long the program takes to find that the radio refuses: three scans, two seconds apart.
    var refusing: Duration {
        station.troubles.all.contains { $0.radioCondition == .refusesScans(.timedOut) } ? .seconds(4) : .zero
    }

    private var hasUpperLayers: Bool { interface.hasAddress && situation != .bondBackup }

    private var neighbour: Neighbour {
        // The neighbour entry of a gateway that does not answer is in the state `failed`.
        guard station.resolvesGateway else { return Neighbour(state: .failed) }
        let macAddress = MACAddress([2, 0, 0, 0, 9, station.isReplacedRouter ? 1 : 0])
        guard isInUse, station.isWell, !station.troubles.isTrafficPaused else {
            return Neighbour(state: .stale, macAddress: macAddress)
        }
        return Neighbour(state: .reachable, macAddress: macAddress, confirmed: .milliseconds(200))
    }

    // MARK: Use and refusals

    /// Whether the machine is in use. Then its connections confirm the gateway many times a second.
    private var isInUse: Bool { holds(.use, for: Self.useSpan, in: Self.shareInUse) }

    /// Why the device refuses to be set down or up now; nil: it does not.
    var refusal: Failure? {
        guard situation == .busyDevice, holds(.refusal, for: Self.refusalSpan, in: Self.shareRefused)
        else { return nil }
        return Failure(kind: .busy, code: 16, description: "Device or resource busy")
    }

    /// Whether something holds in the current period. It holds in this share of all periods of this length.
    private func holds(_ matter: Chance.Matter, for span: Duration, in share: Double) -> Bool {
        let beginning = Instant(nanoseconds: now.nanoseconds / span.nanoseconds * span.nanoseconds)
        return chance.share(matter, at: beginning) < share
    }
}
