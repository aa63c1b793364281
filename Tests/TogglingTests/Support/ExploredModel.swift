import Testing

@testable import Model
@testable import Toggling

/// A run mode with its settings, and all events that can happen to a toggler in it.
struct ExploredModel: Sendable, CustomTestStringConvertible {
    let name: String
    let runMode: RunMode
    /// The default number of moves, which a debug build explores within seconds.
    let depth: Int
    /// The initial settings, and those to which a reload can change them.
    let variants: [Settings]
    /// The possible snapshots: an administrator's route, an address owner's, or nothing that could be lost.
    let snapshots: [Snapshot]
    /// Whether users ask for bounces.
    let isAsked: Bool
    /// The results of earlier probes.
    let window: QualityWindow
    /// nil: the link was not silent before. Otherwise nothing but answers of neighbours came back for long,
    /// and this says whether the gateway has ever answered an ICMP echo.
    let hasEchoed: Bool?

    var testDescription: String { name }

    /// A delay of a probe's answer after which the kernel state from before the probe is too old for a
    /// decision.
    private static let lateness: Duration = .milliseconds(200)
    private static let words = "default via 10.77.0.1 dev wlan0 proto static"
    private static let route = Snapshot(items: [
        Snapshot.Item(kind: .route, message: [1], description: words, isAdministrators: true)
    ])

    private static let kept = Snapshot(
        items: [
            Snapshot.Item(
                kind: .route, message: [2], description: "default via 10.77.0.1 dev wlan0 proto dhcp",
                isAdministrators: false, configSource: .provided)
        ], addressOwner: .iwd)

    /// The snapshot of a station whose owner's scans may be aborted.
    private static let scanned = Snapshot(scanOwner: .supplicant)

    init(
        _ name: String, _ runMode: RunMode, depth: Int, isPlain: Bool = false, isKept: Bool = false,
        isScanned: Bool = false,
        isAsked: Bool = false,
        window: QualityWindow = QualityWindow(), hasEchoed: Bool? = nil, _ change: (inout Settings) -> Void,
        reconfigured: ((inout Settings) -> Void)? = nil
    ) {
        self.name = name
        self.runMode = runMode
        self.depth = depth
        self.window = window
        self.hasEchoed = hasEchoed
        self.isAsked = isAsked
        let settings = Sample.settings(change)
        var other = settings
        reconfigured?(&other)
        variants = reconfigured == nil ? [settings] : [settings, other]
        snapshots =
            isScanned
            ? [Self.scanned] : isKept ? [Self.kept] : isPlain ? [Snapshot()] : [Snapshot(), Self.route]
    }

    func world(seed: UInt64) -> RefereedWorld {
        RefereedWorld(
            runMode: runMode, settings: variants[0], seed: seed, window: window,
            hasEchoed: hasEchoed ?? false, isSilent: hasEchoed != nil)
    }

    /// The index in `variants` of the current settings; -1: the current settings are not among them.
    func variant(of world: RefereedWorld) -> Int {
        variants.count == 1 ? 0 : variants.firstIndex(of: world.toggler.settings) ?? -1
    }

    var beginnings: [RefereedWorld.Move] {
        [.announce(.started(isPresent: true)), .announce(.started(isPresent: false))]
    }

    /// All moves that can happen next.
    func moves(of world: RefereedWorld) -> [RefereedWorld.Move] {
        var moves: [RefereedWorld.Move] = []
        for position in world.answerable { moves += answers(position, world) }
        moves += world.reachableDeadlines
        moves += Self.announcements.map { .announce($0) }
        if isAsked { moves.append(.announce(.bounceRequested(delay: nil))) }
        if variants.count > 1 {
            moves += variants.map { .announce(.reconfigured($0)) }
        }
        moves += Self.unasked.filter { !world.expects($0) }.map { .unasked($0) }
        return moves
    }

    // MARK: Answers

    private func answers(_ position: Int, _ world: RefereedWorld) -> [RefereedWorld.Move] {
        let effect = world.open[position]
        let now = answers(to: effect, world.toggler.state).map {
            RefereedWorld.Move.answer(position, $0, after: .zero)
        }
        let canBeLate = world.deadlines.values.allSatisfy { $0 > world.now + Self.lateness }
        guard effect.probe != nil, canBeLate else { return now }
        return now
            + answers(to: effect, world.toggler.state).map { .answer(position, $0, after: Self.lateness) }
    }

    /// The kernel's possible answers. If no step waits for the answer, one answer suffices.
    private func kernelAnswers(
        _ details: KernelState.Details, isAwaited: Bool
    ) -> [Result<KernelState, Failure>] {
        let liveness: [Liveness]? = details.livenessWithin == nil ? nil : []
        var kernelStates = Self.kernelStates
        if details.logins { kernelStates = kernelStates.map { Self.withLogins($0, [], liveness: liveness) } }
        guard isAwaited else { return [.success(kernelStates[0])] }
        var others: [KernelState] = []
        if details.logins {
            others.append(Self.withLogins(kernelStates[0], [Sample.login], liveness: liveness))
        }
        if details.livenessWithin != nil {
            others.append(Self.withLogins(kernelStates[0], [], liveness: [Sample.alive]))
        }
        if details.failedLookup != nil {
            var failing = Self.withLogins(kernelStates[0], [Sample.login], liveness: liveness)
            failing.ownerCondition = OwnerCondition(.resolved, .hung)
            others.append(failing)
        } else if details.ownerCondition {
            var refusing = Sample.kernelState(
                link: Sample.link(state: .down, carrier: false), association: nil, liveness: liveness)
            refusing.logins = details.logins ? [] : nil
            refusing.radioCondition = .refusesScans(.badExchange)
            others.append(refusing)
        }
        if details.powerSave { others.append(Self.savingPower(kernelStates[0])) }
        return (kernelStates + others).map { .success($0) } + Self.failures.map { .failure($0) }
    }

    private func answers(to effect: Effect, _ state: TogglerState) -> [Event] {
        switch effect {
        case .kernelState(let number, let details) where !details.lossOfInterface:
            return kernelAnswers(details, isAwaited: state.awaits(kernelState: number)).map {
                switch $0 {
                case .success(let kernelState): .kernelStateRead(number, kernelState)
                case .failure(let failure): .kernelStateFailed(number, failure)
                }
            }
        case .kernelState(let number, _):
            guard state.awaits(kernelState: number) else {
                return [.kernelStateFailed(number, Self.failures[0])]
            }
            let states = [
                Sample.lost(), Sample.lost(administrativeHold: .untilReleased), Sample.kernelState(),
            ]
            return states.map { .kernelStateRead(number, $0) }
                + [.kernelStateFailed(number, Failure(kind: .noSuchDevice, description: "no"))]
        case .startProbe(let request):
            return [Sample.answered, Sample.silent, Sample.blocked].map { .probeFinished(request.id, $0) }
        case .takeSnapshot:
            return snapshots.map { .snapshotTaken($0) } + Self.failures.map { .snapshotFailed($0) }
        case .takeBaseline: return snapshots.map { .baselineTaken($0) } + [.baselineTaken(nil)]
        case .directedScan: return [.directedScanDone(nil), .directedScanDone(Self.failures[0])]
        case .abortScan: return [.scanAborted(heard: .seconds(1)), .scanAborted(heard: nil)]
        case .armGuard: return [.guardArmed] + Self.failures.map { .guardFailed($0) }
        case .perform: return [.performed] + Self.failures.map { .performingFailed($0) }
        case .lowerLink: return [.linkLowered] + Self.failures.map { .linkLoweringFailed($0) }
        case .raiseLink: return [.linkRaised] + Self.raisingFailures.map { .linkRaisingFailed($0) }
        case .restore(let snapshot, _): return Self.restorations(of: snapshot).map { .restored($0) }
        case .cancelProbe, .tellGuard, .disarmGuard, .resolveNeighbours, .switchPowerSaveOff, .announce,
            .stopPerforming,
            .arm,
            .disarm,
            .remember,
            .rememberBounces, .report, .finish:
            return []
        }
    }

    private static func withLogins(
        _ kernelState: KernelState, _ logins: [Login], liveness: [Liveness]? = nil
    ) -> KernelState {
        var kernelState = kernelState
        kernelState.liveness = liveness
        kernelState.logins = logins
        return kernelState
    }

    private static func savingPower(_ kernelState: KernelState) -> KernelState {
        var kernelState = kernelState
        kernelState.savesPower = true
        return kernelState
    }

    private static let raisingFailures = failures + [Failure(kind: .other, code: 5, description: "EIO")]
    static let failures = Failure.Kind.allCases.map { Failure(kind: $0, description: "no") }

    private static func restorations(of snapshot: Snapshot) -> [Restoration] {
        guard let item = snapshot.items.first else { return [Restoration()] }
        let refused = Restoration.Refused(description: item.description, failure: failures[0])
        return [
            Restoration(), Restoration(lost: [item.description]),
            Restoration(lost: [item.description], restored: [item.description]),
            Restoration(lost: [item.description], refused: [refused]),
        ]
    }

    /// A kernel state for each case that the core distinguishes.
    static let kernelStates: [KernelState] = [
        Sample.kernelState(),
        Sample.kernelState(gateways: [
            Gateway(
                address: Sample.gateway,
                neighbour: Neighbour(state: .reachable, confirmed: .milliseconds(500)))
        ]),
        Sample.kernelState(link: Sample.link(state: .dormant)),
        Sample.kernelState(link: Sample.link(state: .down, carrier: false), association: nil),
        Sample.kernelState(
            link: Sample.link(state: .down, carrier: false), association: nil, heard: [Sample.stranger]),
        Sample.kernelState(link: Sample.link(isUp: false), association: nil),
        Sample.kernelState(radio: .soft, link: Sample.link(isUp: false), association: nil),
        Sample.kernelState(radio: .hard),
        Sample.kernelState(addresses: []),
        Sample.kernelState(addresses: [
            InterfaceAddress(
                address: .v4(0x0a4d_0002), prefixLength: 24, reachesBeyondLink: true, isTentative: true)
        ]),
        Sample.kernelState(gateways: []),
        Sample.kernelState(administrativeHold: .untilReleased),
        Sample.kernelState(isWireless: false),
        Sample.kernelState(link: Sample.link(port: Sample.bridgePort)),
        Sample.kernelState(
            link: Sample.link(port: Sample.port(.bond, .none)), addresses: [], gateways: []),
        Sample.kernelState(
            link: Sample.link(state: .down, carrier: false, hadCarrier: false), association: nil),
        KernelState(link: Sample.link(), wireless: Wireless(role: .accessPoint, phy: 0)),
    ]

    // MARK: Unsolicited events

    static let announcements: [Event] =
        [
            .linkChanged(Sample.link()), .linkChanged(Sample.link(state: .dormant)),
            .linkChanged(Sample.link(isUp: false)), .linkChanged(Sample.link(port: Sample.bridgePort)),
            .linkRemoved, .linkAppeared(Sample.link()),
            .disconnected(Sample.leave), .joinAttempted, .addressingChanged, .addressingLost,
            .scanFinished, .scanBegun(Sample.sweep),
            .monitorOverran,
            .cycleRequested, .guardLost,
            .terminationRequested, .started(isPresent: true),
        ] + RadioBlock.allCases.map { .radioChanged($0) }

    static let unasked: [Event] =
        [
            .kernelStateRead(-1, Sample.kernelState()), .probeFinished(-1, Sample.silent),
            .snapshotTaken(Snapshot()),
            .baselineTaken(Snapshot()), .guardArmed, .linkLowered, .linkRaised, .performed,
            .restored(Restoration()), .directedScanDone(nil), .scanAborted(heard: nil),
        ]
        + [Failure.Kind.noSuchDevice, .other].map { Failure(kind: $0, description: "late") }.flatMap {
            [
                Event.kernelStateFailed(-1, $0), .snapshotFailed($0), .guardFailed($0),
                .linkLoweringFailed($0),
                .linkRaisingFailed($0), .performingFailed($0),
            ]
        }
}

extension RefereedWorld {
    /// Whether the toggler would take this event for an answer that it awaits. An answer does not come twice.
    fileprivate func expects(_ event: Event) -> Bool {
        if open.contains(where: { $0.isAnswered(by: event) }) { return true }
        guard let bounce = toggler.state.bounce else { return false }
        switch bounce.step {
        case .raising: return Effect.raiseLink(bounce.method).isAnswered(by: event)
        case .comparing: return Effect.restore(Snapshot(), puttingBack: true).isAnswered(by: event)
        case .scanning: return Effect.directedScan(Sample.accessPoint).isAnswered(by: event)
        default: return false
        }
    }
}

extension Effect {
    /// Whether an event of this kind answers this effect.
    fileprivate func isAnswered(by event: Event) -> Bool {
        switch (self, event) {
        case (.directedScan, .directedScanDone), (.abortScan, .scanAborted), (.takeSnapshot, .snapshotTaken),
            (.takeSnapshot, .snapshotFailed),
            (.takeBaseline, .baselineTaken), (.armGuard, .guardArmed),
            (.armGuard, .guardFailed), (.lowerLink, .linkLowered), (.lowerLink, .linkLoweringFailed),
            (.raiseLink, .linkRaised), (.raiseLink, .linkRaisingFailed), (.perform, .performed),
            (.perform, .performingFailed), (.restore, .restored):
            true
        default: false
        }
    }
}
