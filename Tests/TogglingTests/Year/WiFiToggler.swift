@testable import Model
@testable import Toggling

/// The program's core, run as the service runs it, on the simulated machine's clock.
struct WiFiToggler: Resident {
    /// How long the kernel takes to answer, to lower the link and to raise it.
    private static let answering: Duration = .milliseconds(1)
    private static let lowering: Duration = .milliseconds(110)
    private static let raising: Duration = .milliseconds(80)

    /// How long a driver takes to release its device, and to load its firmware again.
    private static let unbinding: Duration = .seconds(1)
    private static let binding: Duration = .seconds(3)
    /// How long an owner takes for a request, or to start.
    private static let performing: Duration = .seconds(2)
    /// How long a machine takes from the order to reboot until its service starts.
    private static let rebooting: Duration = .seconds(60)

    private(set) var toggler: Toggler
    /// When the machine was rebooted.
    private var reboots: [Instant] = []
    private var deadlines: [(deadline: Deadline, at: Instant)] = []
    private var answers: [(answer: Answer, at: Instant)] = []
    private(set) var next = Life.beginning

    /// Pending events.
    private enum Answer {
        case event(Event)
        /// Computed from the state when it is due.
        case kernelState(Int, KernelState.Details)
        /// The machine has booted, and starts the service.
        case boot
    }

    init(_ settings: Settings = Settings(), seed: UInt64) {
        toggler = Toggler(runMode: .watch, settings: settings, seed: seed)
    }

    mutating func begin(_ machine: inout Machine) {
        tell(.started(isPresent: true), &machine)
        plan()
    }

    mutating func act(_ machine: inout Machine) {
        let now = machine.now
        if let position = answers.indices.min(by: { answers[$0].at < answers[$1].at }),
            answers[position].at <= now
        {
            switch answers.remove(at: position).answer {
            case .event(let event): tell(event, &machine)
            case .kernelState(let number, let details):
                var state = machine.kernel.state(with: details)
                if details.rebootState { state?.rebootState = RebootState(reboots: reboots) }
                tell(Self.answer(number, state), &machine)
            case .boot:
                _ = machine.raise(by: .reboot)
                tell(.started(isPresent: machine.station.interface.isPresent), &machine)
            }
        } else if let position = deadlines.indices.min(by: { deadlines[$0].at < deadlines[$1].at }),
            deadlines[position].at <= now
        {
            tell(.deadlineReached(deadlines.remove(at: position).deadline), &machine)
        }
        plan()
    }

    private static func answer(_ number: Int, _ state: KernelState?) -> Event {
        let gone = Failure(kind: .noSuchDevice, code: 19, description: "No such device")
        return state.map { .kernelStateRead(number, $0) } ?? .kernelStateFailed(number, gone)
    }

    mutating func hear(_ event: Event, _ machine: inout Machine) {
        // While the machine reboots, nothing hears the kernel.
        if case .idle = toggler.state { return }
        tell(event, &machine)
        plan()
    }

    /// Nothing to do: the timers use CLOCK_BOOTTIME, so deadlines that passed during the suspend are due now.
    mutating func woke(after duration: Duration) {}

    private mutating func plan() {
        next = Instant(nanoseconds: .max)
        for answer in answers where answer.at < next { next = answer.at }
        for deadline in deadlines where deadline.at < next { next = deadline.at }
    }

    private mutating func tell(_ event: Event, _ machine: inout Machine) {
        for effect in toggler.handle(event, at: machine.now) { perform(effect, &machine) }
    }

    /// Whether no method of the ladder was carried out yet.
    private var isFirst: Bool { toggler.state.bounce.map { $0.methods.isEmpty } ?? true }

    private mutating func perform(_ effect: Effect, _ machine: inout Machine) {
        func later(_ event: Event, after duration: Duration = Self.answering) {
            answers.append((.event(event), machine.now + duration))
        }
        switch effect {
        case .kernelState(let number, let details):
            let duration = details.ownerCondition ? Self.answering + machine.kernel.refusing : Self.answering
            answers.append((.kernelState(number, details), machine.now + duration))
        case .startProbe(let request):
            let answer = machine.network.answer(to: request)
            later(.probeFinished(request.id, answer.result), after: answer.after + Self.answering)
        case .cancelProbe(let id):
            answers.removeAll {
                if case .event(.probeFinished(id, _)) = $0.answer { true } else { false }
            }
        case .takeSnapshot: later(.snapshotTaken(Snapshot()))
        case .takeBaseline: later(.baselineTaken(Snapshot()))
        // The simulated machine has no wpa_supplicant, and so no scan to abort.
        case .directedScan, .abortScan: preconditionFailure("\(effect)")
        case .armGuard: later(.guardArmed)
        case .lowerLink(let method):
            let failure = machine.lower(by: method, isFirst: isFirst)
            later(
                failure.map { .linkLoweringFailed($0) } ?? .linkLowered,
                after: method == .reset ? Self.unbinding : Self.lowering)
        case .raiseLink(let method):
            let failure = machine.raise(by: method)
            later(
                failure.map { .linkRaisingFailed($0) } ?? .linkRaised,
                after: method == .reset ? Self.binding : Self.raising)
        case .restore: later(.restored(Restoration()))
        case .arm(let deadline, let at):
            deadlines.removeAll { $0.deadline == deadline }
            deadlines.append((deadline, at))
        case .disarm(let deadline): deadlines.removeAll { $0.deadline == deadline }
        case .perform(.reboot): reboot(&machine)
        case .perform(let method):
            machine.perform(method, isFirst: isFirst)
            later(.performed, after: Self.performing)
        case .stopPerforming:
            answers.removeAll {
                if case .event(let event) = $0.answer { event.answersPerform } else { false }
            }
        case .tellGuard, .disarmGuard, .resolveNeighbours, .switchPowerSaveOff, .announce, .remember,
            .rememberBounces,
            .report,
            .finish:
            break
        }
    }

    /// Ends the program. Once the machine has booted, starts it again with what it has saved.
    private mutating func reboot(_ machine: inout Machine) {
        _ = machine.lower(by: .reboot, isFirst: isFirst)
        reboots.append(machine.now)
        let boot = machine.now + Self.rebooting
        toggler = Toggler(
            runMode: .watch, settings: toggler.settings, seed: UInt64(reboots.count), appearedAt: boot,
            knownTargets: toggler.knownTargets, limiter: toggler.limiter.saved)
        (deadlines, answers) = ([], [(.boot, boot)])
    }
}
