@testable import Model
@testable import Toggling

/// Values that many tests start from.
enum Sample {
    static let gateway = IPAddress.v4(0x0a4d_0001)
    static let otherGateway = IPAddress("fe80::1")!
    static let index = InterfaceIndex(rawValue: 7)

    static func link(
        isUp: Bool = true, state: OperationalState = .up, carrier: Bool = true, port: Port? = nil,
        hadCarrier: Bool? = nil
    ) -> Link {
        Link(
            index: index, name: "wlan0", macAddress: MACAddress([2, 0, 0, 0, 1, 0]), isUp: isUp,
            hasCarrier: isUp && carrier, operationalState: isUp ? state : .down,
            counters: LinkCounters(receivedPackets: 0, sentPackets: 0),
            port: port, hadCarrier: hadCarrier)
    }

    static let bridge = Port.Device(index: InterfaceIndex(rawValue: 9), name: "br0")
    /// A port through which the traffic of its master passes.
    static let bridgePort = port(.bridge, .masters)

    static func port(_ kind: Port.Kind, _ traffic: Port.Traffic) -> Port {
        Port(
            master: bridge.index, masterName: bridge.name, kind: kind, traffic: traffic,
            upper: traffic == .masters ? bridge : nil)
    }

    static let association = Association(
        bssid: MACAddress([2, 0, 0, 0, 0, 0])!, ssid: SSID("lab".utf8), frequency: 2412,
        station: StationInformation(signal: -50))
    static let accessPoint = AccessPoint(
        bssid: association.bssid, ssid: SSID("lab".utf8), frequency: 2412)

    /// All channels of 2.4 GHz, for any network.
    static let sweep = Scan(frequencies: (0..<13).map { 2412 + 5 * $0 })

    /// Networks that a scan found just now.
    static let own = HeardNetwork(ssid: association.ssid, ago: .milliseconds(100))
    static let stranger = HeardNetwork(ssid: SSID("elsewhere".utf8), ago: .milliseconds(100))

    /// The disconnection that a user's command causes.
    static let leave = Disconnection(reason: 3, isByAccessPoint: false)

    /// Another host on the link, which sends all the time.
    static let neighbour = IPAddress.v4(0x0a4d_0007)
    static let alive = Liveness(peer: neighbour, manner: .connection, heard: .milliseconds(1))

    /// Known targets: the gateway has answered an ICMP echo.
    static let echoed = KnownTargets([
        KnownTargets.Entry(network: Network(kernelState()), target: "icmp \(gateway)", answered: .boot)
    ])

    static let login = Login(peer: .v4(0xc000_0207), heard: .seconds(5), isUnanswered: true)

    /// The state of a station that is associated and addressed, with a gateway whose neighbour entry is
    /// stale.
    static func kernelState(
        radio: RadioBlock = .none, link: Link = link(), association: Association? = association,
        addresses: [InterfaceAddress] = [
            InterfaceAddress(address: .v4(0x0a4d_0002), prefixLength: 24, reachesBeyondLink: true)
        ],
        gateways: [Gateway] = [Gateway(address: gateway, neighbour: Neighbour(state: .stale))],
        heard: [HeardNetwork] = [], isWireless: Bool = true, administrativeHold: AdministrativeHold? = nil,
        quietUntil: Instant? = nil, logins: [Login]? = nil, liveness: [Liveness]? = nil
    ) -> KernelState {
        KernelState(
            link: link, radio: radio,
            wireless: isWireless
                ? Wireless(role: .station, phy: 0, association: association, heard: heard) : nil,
            addresses: addresses, gateways: gateways, administrativeHold: administrativeHold,
            quietUntil: quietUntil, logins: logins, liveness: liveness)
    }

    /// The last state of an interface, with the condition that its device has lost it.
    static func lost(administrativeHold: AdministrativeHold? = nil) -> KernelState {
        var state = kernelState(administrativeHold: administrativeHold)
        state.radioCondition = .lostInterface(.bound)
        return state
    }

    static func settings(_ change: (inout Settings) -> Void = { _ in }) -> Settings {
        var settings = Settings()
        change(&settings)
        return settings
    }

    /// The window of a degraded link: two of ten probes were lost, and the other answers took 600 ms.
    static let degradedWindow: QualityWindow = {
        var window = QualityWindow()
        for number in 0..<10 {
            let outcome = QualityWindow.Outcome(
                question: .neighbour(gateway), roundTrip: number % 5 == 1 ? nil : .milliseconds(600),
                at: .seconds(99))
            window.take(
                [outcome], in: Network(kernelState()), isSick: false, isOutage: false, settings: Settings(),
                at: .seconds(99))
        }
        return window
    }()

    /// A world whose station is not associated until the method `cure` has run.
    static func unassociatedWorld(
        _ runMode: RunMode = .watch, owner: OwnerCondition? = nil, radio: RadioCondition? = nil,
        mendedBy cure: Model.Method?, limiter: BounceLimiter.Saved = BounceLimiter.Saved(),
        _ change: (inout Settings) -> Void = { _ in }
    ) -> VirtualWorld {
        var world = VirtualWorld(runMode, settings(change), limiter: limiter)
        world.link.isInRange = false
        (world.conditions.owner, world.conditions.radio) = (owner, radio)
        world.onMethod = { world, method in
            if method == cure { (world.link.isInRange, world.conditions.radio) = (true, nil) }
        }
        return world
    }

    static let answered = ProbeResult.answered(roundTrip: .milliseconds(3), detail: "reachable")
    static let silent = ProbeResult.unanswered(detail: "no answer")
    static let blocked = ProbeResult.unknown(
        Failure(kind: .notPermitted, code: 1, description: "not permitted"))
}

extension Instant {
    static func seconds(_ seconds: Double) -> Instant { Instant(nanoseconds: Int64(seconds * 1e9)) }
}
