import Model
import Toggling

@testable import Reporting

/// Random values of every type in a trace, from a seed, including values that no kernel would send.
struct RandomNouns {
    private var random: SplitMix64

    init(seed: UInt64) { random = SplitMix64(state: seed) }

    // MARK: Basic types

    mutating func flag() -> Bool { random.number(below: 2) == 0 }
    mutating func maybe<Value>(_ value: Value) -> Value? { flag() ? value : nil }
    mutating func number<Value: FixedWidthInteger>(_: Value.Type = Value.self) -> Value {
        Value(truncatingIfNeeded: random.next() >> random.number(below: 64))
    }
    mutating func one<Value: CaseIterable>(_: Value.Type = Value.self) -> Value {
        Array(Value.allCases)[Int(random.number(below: UInt64(Value.allCases.count)))]
    }
    mutating func list<Value>(_ make: (inout RandomNouns) -> Value) -> [Value] {
        (0..<random.number(below: 4)).map { _ in make(&self) }
    }
    mutating func bytes() -> [UInt8] { list { $0.number() } }

    private static let letters = Array(
        "aZ09 \"\\/{}[]:,.\n\t\r\0\u{1}\u{1f}\u{7f}\u{e9}\u{2028}\u{1F600}\u{301}")
    mutating func text() -> String {
        String(
            (0..<random.number(below: 6)).map { _ in
                Self.letters[Int(random.number(below: UInt64(Self.letters.count)))]
            })
    }

    /// A random time within the bounds of a trace.
    mutating func instant() -> Instant { Instant(nanoseconds: number(Int64.self) & JSONText.farthest) }
    mutating func duration() -> Duration { .nanoseconds(number(Int64.self) / 8) }
    /// A duration that an option allows.
    mutating func option() -> Duration { .nanoseconds(1 + Int64(random.number(below: 1 << 50))) }
    mutating func count() -> Int { 1 + Int(random.number(below: 1000)) }

    mutating func macAddress() -> MACAddress { MACAddress((0..<6).map { _ in number() })! }
    mutating func address() -> IPAddress {
        flag() ? .v4(number()) : .v6(UInt128(random.next()) << 64 | UInt128(random.next()))
    }

    mutating func failure() -> Failure { Failure(kind: one(), code: number(), description: text()) }

    // MARK: The kernel

    mutating func link() -> Link {
        Link(
            index: InterfaceIndex(rawValue: number()), name: text(), macAddress: maybe(macAddress()),
            permanentAddress: maybe(macAddress()), isUp: flag(), hasCarrier: flag(),
            operationalState: one(),
            counters: maybe(LinkCounters(receivedPackets: number(), sentPackets: number())),
            port: maybe(port()), hadCarrier: maybe(flag()),
            lower: maybe(InterfaceIndex(rawValue: number())))
    }

    mutating func port() -> Port {
        Port(
            master: InterfaceIndex(rawValue: number()), masterName: maybe(text()), kind: one(),
            traffic: one(),
            upper: maybe(device()))
    }

    mutating func device() -> Port.Device {
        Port.Device(index: InterfaceIndex(rawValue: number()), name: text())
    }

    mutating func kernelState() -> KernelState {
        KernelState(
            link: link(), radio: one(), wireless: maybe(wireless()),
            addresses: list {
                InterfaceAddress(
                    address: $0.address(), prefixLength: $0.number(), reachesBeyondLink: $0.flag(),
                    isTentative: $0.flag())
            },
            gateways: list { Gateway(address: $0.address(), neighbour: $0.maybe($0.neighbour())) },
            administrativeHold: maybe(flag() ? .untilReleased : .until(instant())),
            quietUntil: maybe(instant()),
            logins: maybe(
                list { Login(peer: $0.address(), heard: $0.duration(), isUnanswered: $0.flag()) }),
            liveness: maybe(
                list { Liveness(peer: $0.address(), manner: $0.one(), heard: $0.duration()) }),
            savesPower: maybe(flag()), ownerCondition: maybe(OwnerCondition(one(), one())),
            radioCondition: maybe(radioCondition()), rebootState: maybe(rebootState()))
    }

    mutating func radioCondition() -> RadioCondition {
        flag() ? .refusesScans(one()) : flag() ? .crashed : flag() ? .closed : .lostInterface(one())
    }

    mutating func rebootState() -> RebootState {
        RebootState(
            reboots: list { $0.instant() }, failedAt: maybe(instant()), user: maybe(text()),
            isRecordable: flag(), otherUplink: maybe(text()))
    }

    mutating func neighbour() -> Neighbour {
        Neighbour(state: one(), macAddress: maybe(macAddress()), confirmed: maybe(duration()))
    }

    mutating func wireless() -> Wireless {
        Wireless(
            role: role(), phy: number(), association: maybe(association()),
            heard: list { HeardNetwork(ssid: $0.maybe(SSID($0.bytes())), ago: $0.duration()) })
    }

    mutating func role() -> Wireless.Role {
        let roles: [Wireless.Role] = [
            .station, .accessPoint, .monitor, .adHoc, .mesh, .p2pClient, .p2pGroupOwner, .other(number()),
        ]
        return roles[Int(random.number(below: UInt64(roles.count)))]
    }

    mutating func association() -> Association {
        Association(
            bssid: macAddress(), ssid: maybe(SSID(bytes())), frequency: maybe(number()),
            station: StationInformation(
                signal: maybe(number()), inactive: maybe(duration()), connected: maybe(duration()),
                sendFailures: maybe(number()), sendRetries: maybe(number()), beaconLosses: maybe(number()),
                sendBitrate: maybe(number()), receiveBitrate: maybe(number())))
    }

    mutating func snapshot() -> Snapshot {
        Snapshot(
            items: list {
                Snapshot.Item(
                    kind: $0.one(), message: $0.bytes(), description: $0.text(), isAdministrators: $0.flag(),
                    configSource: $0.maybe($0.one()))
            }, addressOwner: maybe(one()), hasNameServers: flag(), scanOwner: maybe(one()),
            upper: maybe(device()))
    }

    mutating func restoration() -> Restoration {
        Restoration(
            lost: list { $0.text() }, restored: list { $0.text() },
            refused: list { Restoration.Refused(description: $0.text(), failure: $0.failure()) },
            lacksNameServers: flag())
    }

    // MARK: Probes and settings

    mutating func target() -> ProbeTarget { flag() ? .address(address()) : .name(text()) }

    mutating func method() -> ProbeSpec.Method {
        let methods: [ProbeSpec.Method] = [
            .auto, .none, .neighbour(maybe(address())), .icmp(maybe(target())),
            .tcp(target(), port: number()), .dns(name: text(), server: maybe(address())), .http(page()),
            .command(path: text()),
        ]
        return methods[Int(random.number(below: UInt64(methods.count)))]
    }

    mutating func page() -> HTTPQuestion {
        HTTPQuestion(url: text(), expectation: flag() ? .status(number()) : .body(text()))
    }

    mutating func window() -> QuietWindow {
        QuietWindow(
            days: [one()], start: Int(random.number(below: 1440)), end: 1 + Int(random.number(below: 1440)))
    }

    mutating func network() -> Network {
        let routers = list { Network.Router(address: $0.address(), macAddress: $0.maybe($0.macAddress())) }
        return Network(ssid: maybe(SSID(bytes())), family: BSSIDFamily(canonical: "085e00"), routers: routers)
    }

    mutating func limiter() -> BounceLimiter.Saved {
        BounceLimiter.Saved(
            bounces: list { .boot + $0.duration() }, bouncesInOutage: number(),
            earliest: maybe(.boot + duration()),
            healthySince: maybe(.boot + duration()), useless: number(), network: maybe(network()),
            restarts: list { .boot + $0.duration() }, inVain: list { $0.one() })
    }

    mutating func knownTargets() -> KnownTargets {
        KnownTargets(
            list {
                KnownTargets.Entry(
                    network: $0.network(), target: $0.text(), answered: .boot + $0.duration())
            })
    }

    mutating func result() -> ProbeResult {
        let results: [ProbeResult] = [
            .answered(roundTrip: duration(), detail: text()), .unanswered(detail: text()),
            .unknown(failure()),
            .refuted(layer: one(), roundTrip: duration(), detail: text()), .neverAnswered(detail: text()),
        ]
        return results[Int(random.number(below: UInt64(results.count)))]
    }

    mutating func settings() -> Settings {
        var settings = Settings()
        settings.interval = option()
        settings.delay = option()
        settings.probes = [ProbeSpec(method(), isRequired: flag())] + list { ProbeSpec($0.method()) }
        settings.quorum = count()
        settings.quietHours = list { $0.window() }
        settings.bouncesInUse = flag()
        settings.isForced = flag()
        settings.fall = count()
        settings.rise = count()
        settings.recheck = option()
        settings.timeout = option()
        settings.settle = option()
        settings.backoff = option()
        settings.backoffMaximum = option()
        settings.grace = option()
        settings.rebootAfter = option()
        settings.budget = count()
        settings.dailyBudget = count()
        settings.degradedLoss = Int(random.number(below: 101))
        settings.degradedLatency = option()
        settings.bouncedLayers = LayerSet(Layer.allCases.filter { _ in flag() })
        settings.restores = flag()
        settings.fastReconnects = flag()
        settings.isDryRun = flag()
        settings.allowsAnyInterface = flag()
        if flag() { settings.methods = [one()] } else { settings.methodsBesideAuto = [.rebind] }
        settings.hook = maybe(text())
        return settings
    }

    // MARK: Events

    mutating func event(_ kind: Event.Kind) -> Event {
        switch kind {
        case .started: .started(isPresent: flag())
        case .deadlineReached: .deadlineReached(one())
        case .kernelStateRead: .kernelStateRead(number(), kernelState())
        case .kernelStateFailed: .kernelStateFailed(number(), failure())
        case .probeFinished: .probeFinished(number(), result())
        case .snapshotTaken: .snapshotTaken(snapshot())
        case .snapshotFailed: .snapshotFailed(failure())
        case .baselineTaken: .baselineTaken(maybe(snapshot()))
        case .guardArmed: .guardArmed
        case .guardFailed: .guardFailed(failure())
        case .guardLost: .guardLost
        case .linkLowered: .linkLowered
        case .linkLoweringFailed: .linkLoweringFailed(failure())
        case .linkRaised: .linkRaised
        case .linkRaisingFailed: .linkRaisingFailed(failure())
        case .performed: .performed
        case .performingFailed: .performingFailed(failure())
        case .restored: .restored(restoration())
        case .linkChanged: .linkChanged(link())
        case .linkAppeared: .linkAppeared(link())
        case .linkRemoved: .linkRemoved
        case .radioChanged: .radioChanged(one())
        case .disconnected: .disconnected(maybe(disconnection()))
        case .joinAttempted: .joinAttempted
        case .scanBegun:
            .scanBegun(
                Scan(frequencies: list { $0.number() }, names: list { SSID($0.bytes()) }))
        case .scanFinished: .scanFinished
        case .scanAborted: .scanAborted(heard: maybe(duration()))
        case .directedScanDone: .directedScanDone(maybe(failure()))
        case .addressingChanged: .addressingChanged
        case .addressingLost: .addressingLost
        case .monitorOverran: .monitorOverran
        case .resumed: .resumed(slept: maybe(duration()))
        case .cycleRequested: .cycleRequested
        case .bounceRequested: .bounceRequested(delay: maybe(option()))
        case .reconfigured: .reconfigured(settings())
        case .terminationRequested: .terminationRequested
        }
    }

    mutating func disconnection() -> Disconnection {
        Disconnection(reason: maybe(number()), isByAccessPoint: flag())
    }

    mutating func stamp() -> Trace.Stamp { Trace.Stamp(at: instant(), id: number(), interface: text()) }

    mutating func beginning() -> Trace.Beginning {
        Trace.Beginning(
            runMode: one(), settings: settings(), seed: random.next(), appearedAt: maybe(instant()),
            knownTargets: knownTargets(), limiter: limiter(), place: number())
    }

    /// The bytes of a text, with some of them changed, doubled or removed.
    mutating func damaged(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for _ in 0...random.number(below: 3) where !bytes.isEmpty {
            let position = Int(random.number(below: UInt64(bytes.count)))
            switch random.number(below: 4) {
            case 0: bytes[position] = number()
            case 1: bytes.remove(at: position)
            case 2: bytes.insert(bytes[position], at: position)
            default: bytes.removeSubrange(position...)
            }
        }
        return bytes
    }
}

extension Event {
    /// The kinds of events, by their names in a trace. Add a new kind here, to `kind`, and to
    /// `RandomNouns.event`.
    enum Kind: String, CaseIterable {
        case started, deadlineReached, kernelStateRead, kernelStateFailed, probeFinished
        case snapshotTaken, snapshotFailed, baselineTaken, guardArmed, guardFailed, guardLost
        case linkLowered, linkLoweringFailed, linkRaised, linkRaisingFailed, performed, performingFailed,
            restored
        case linkChanged, linkAppeared, linkRemoved, radioChanged, disconnected, joinAttempted
        case scanBegun, scanFinished, scanAborted, directedScanDone, addressingChanged, addressingLost
        case monitorOverran, resumed, cycleRequested, bounceRequested, reconfigured, terminationRequested
    }
}
