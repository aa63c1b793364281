@testable import Model
@testable import Toggling

/// The link of a virtual world: its radio, its association, and its state in the kernel.
struct SimulatedLink {
    /// How long the radio takes to associate.
    static let associationLatency: Duration = .milliseconds(200)

    var isUp = true
    var radio = RadioBlock.none
    var isInRange = true
    var isWireless = true
    /// The link as a port of a master; nil: the link is no port.
    var port: Port?
    /// Whether there was an association since the interface appeared; nil: the kernel does not report that.
    var hadCarrier: Bool?
    var hasAddress = true
    var gateways = [Sample.gateway]
    var ssid = Sample.association.ssid
    /// In MHz.
    var frequency = Sample.association.frequency
    /// The age of the association that the kernel reports; nil: it reports none.
    var connected: Duration?
    /// The signal in dBm; nil: the driver does not report it.
    var signal: Int8? = Sample.association.station.signal
    /// The networks that scans find while the station is not associated; empty: there are no scans.
    var heard: [HeardNetwork] = []
    /// Whether the kernel itself has set the link down, after a crash.
    var isClosed = false
    /// The state of the device that has lost the interface; nil: it was unplugged.
    var loss: LossOfInterface?
    /// Whether the interface exists.
    private(set) var isThere = true
    /// The kernel state before the interface disappeared.
    private var lastState: KernelState?
    private var associatedSince: Instant?

    init(associatedSince: Instant) { self.associatedSince = associatedSince }

    // MARK: What the kernel shows

    private func isAssociated(at now: Instant) -> Bool {
        guard let associatedSince else { return false }
        return isUp && isInRange && now >= associatedSince
    }

    /// The link as the kernel announces it.
    func announced(at now: Instant) -> Link {
        let isAssociated = isAssociated(at: now)
        return Sample.link(
            isUp: isUp, state: isAssociated ? .up : .down, carrier: isAssociated, port: port,
            hadCarrier: hadCarrier)
    }

    func kernelState(at now: Instant) -> KernelState {
        let link = announced(at: now)
        let isAssociated = isAssociated(at: now)
        var state = Sample.kernelState(
            radio: radio, link: link, association: isAssociated ? association : nil,
            addresses: hasAddress && link.hasUpperLayers
                ? [InterfaceAddress(address: .v4(0x0a4d_0002), prefixLength: 24, reachesBeyondLink: true)]
                : [],
            gateways: (link.hasUpperLayers ? gateways : []).map {
                Gateway(address: $0, neighbour: Neighbour(state: .stale))
            },
            heard: isUp && !isAssociated ? heard : [], isWireless: isWireless)
        if isClosed, !isUp { state.radioCondition = .closed }
        return state
    }

    private var association: Association {
        var association = Sample.association
        association.ssid = ssid
        association.frequency = frequency
        association.station.connected = connected
        association.station.signal = signal
        return association
    }

    /// The last state of the interface that the device has lost; nil: it was unplugged.
    var lostState: KernelState? {
        guard let loss, var state = lastState else { return nil }
        state.radioCondition = .lostInterface(loss)
        return state
    }

    // MARK: Changes

    /// Connects to the network at this time.
    mutating func associate(at instant: Instant) { associatedSince = instant }

    mutating func lower() { isUp = false }

    /// Sets the link up; an interface that has disappeared comes back.
    mutating func raise() { (isUp, isThere, loss) = (true, true, nil) }

    mutating func goDown(isClosed: Bool) { (isUp, self.isClosed) = (false, isClosed) }

    /// Sets the link down, as the kernel does before the interface disappears.
    mutating func beginToDisappear(at now: Instant) {
        lastState = kernelState(at: now)
        isUp = false
    }

    mutating func disappear(_ loss: LossOfInterface?) { (isThere, self.loss) = (false, loss) }

    /// Follows an announcement that a story makes.
    mutating func note(_ event: Event) {
        switch event {
        case .linkRemoved: isThere = false
        case .linkAppeared: isThere = true
        default: break
        }
    }
}
