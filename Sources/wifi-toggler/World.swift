import Glibc
import Netlink
import Platform
import Probing
import Service
import Toggling

/// The live side of the environment: the sockets, timers and switches of this process.
final class World {
    let netlink: NetlinkCommands
    /// nil: a one-shot that has not asked for a radio yet.
    private var radios: RadioSwitches?
    private let console: Console
    private let prober: Prober
    let methods: MethodKeeper
    private var monitor: NetlinkMonitor?
    private let scans: ScanKeeper
    private var timer: TimerSource?
    private var resume: ResumeSource?
    /// As whom commands are run that probe.
    var commandUser: String {
        get { prober.commandUser }
        set { prober.commandUser = newValue }
    }
    /// nil: nobody can hold back what this process does.
    var holds: HoldKeeper?
    /// Whether an interface may be held; where that is known, the files of a hold need not be looked for at each look.
    var mayBeHeld: @MainActor (String) -> Bool = { _ in true }
    /// Whether somebody wants to know who has a station scan.
    var asksForScanner = true
    /// nil: nothing is kept.
    var memory: MemoryKeeper?
    /// nil: it does that at any hour.
    var quiet: QuietKeeper?

    private init(netlink: NetlinkCommands, _ console: Console) {
        self.netlink = netlink
        self.console = console
        methods = MethodKeeper(netlink)
        scans = ScanKeeper(netlink)
        prober = Prober(
            neighbours: Prober.NeighbourTable(
                verify: { netlink.verifyNeighbour($0, on: $1, $2) },
                lookUp: { netlink.neighbour($0, on: $1, $2) }))
    }

    /// Opens what every command needs, or ends the process with the reason.
    /// - Parameter onRadioChange: for a service. nil: a one-shot; rfkill is opened and read when it is asked for,
    ///   and not watched.
    static func open(_ console: Console, onRadioChange: (@MainActor ([RadioSwitches.Change]) -> Void)? = nil)
        -> World
    {
        let netlink: NetlinkCommands
        do {
            netlink = try NetlinkCommands(onRadioChange == nil ? .callingThread : .ownThread)
        } catch {
            console.fail(error.sentence("could not open netlink"), ExitStatus(error))
        }
        let world = World(netlink: netlink, console)
        if let onRadioChange { world.radios = radios(console, onRadioChange) }
        return world
    }

    private static func radios(
        _ console: Console, _ onChange: (@MainActor ([RadioSwitches.Change]) -> Void)? = nil
    ) -> RadioSwitches {
        do throws(SystemError) {
            return try RadioSwitches(onChange: onChange)
        } catch {
            console.fail("could not read /dev/rfkill: \(error.words)", .systemRefused)
        }
    }

    /// Begins to listen; neighbours go to the prober, everything else to the handler too.
    func listen(
        _ topics: NetlinkMonitor.Topics, _ console: Console,
        _ handler: @escaping @MainActor (NetlinkMonitor.Notification) -> Void
    ) {
        let (prober, netlink, scans) = (prober, netlink, scans)
        do {
            monitor = try NetlinkMonitor(topics) { notification in
                netlink.heard(notification)
                scans.heard(notification)
                prober.heard(notification)
                if case .neighbourChanged(let index, let address, let neighbour) = notification {
                    prober.neighbourChanged(index, address, neighbour)
                } else {
                    handler(notification)
                }
            }
        } catch {
            console.fail(error.sentence("could not listen to netlink"), ExitStatus(error))
        }
        guard topics.isSuperset(of: [.links, .addresses, .routes, .wireless]) else { return }
        netlink.isToldOfChanges()
        prober.isToldOfChanges()
    }

    /// The machine has slept: what was announced meanwhile may still come.
    func resumed() { prober.networkChanged(nil) }

    /// Looks whether what listens is still alive; what died is told as an overrun or as deafness.
    func checkHearing() { monitor?.check() }

    /// Whether rfkill keeps this radio silent.
    func block(ofPhy phy: UInt32) -> RadioBlock {
        let radios = radios ?? Self.radios(console)
        self.radios = radios
        return RadioBlock(radios.block(ofPhy: phy))
    }

    func survey(
        _ index: InterfaceIndex, mayBeKnown: Bool = false, asksForPowerSave: Bool = false,
        _ done: @escaping Environment.Done<Survey>
    ) {
        let complete = { [holds, mayBeHeld, quiet] (survey: Survey) in
            var survey = survey
            let name = survey.link.name
            if !mayBeKnown || mayBeHeld(name) { survey.inhibition = holds?.inhibition(of: name) }
            survey.quietUntil = quiet?.end(for: survey.link)
            return survey
        }
        netlink.survey(
            index, mayBeKnown: mayBeKnown, asksForPowerSave: asksForPowerSave,
            radio: { [unowned self] in block(ofPhy: $0) },
            { done($0.map(complete)) })
    }

    func surveyWithLogins(_ index: InterfaceIndex, _ done: @escaping Environment.Done<Survey>) {
        // The survey last: a bounce may begin on its word.
        LoginKeeper(netlink).logins(over: index) { [unowned self] logins in
            survey(index) { done($0.map { $0.with(logins, in: \.logins) }) }
        }
    }

    /// What is heard while this is asked was heard within the span, too.
    func surveyWithLife(
        _ index: InterfaceIndex, heardWithin span: Duration, _ done: @escaping Environment.Done<Survey>
    ) {
        netlink.life(over: index, heardWithin: span) { [unowned self] signs in
            surveyWithLogins(index) { done($0.map { $0.with(signs, in: \.life) }) }
        }
    }

    /// - Parameter survivesSuspend: also wakes directly after a suspend, not when the rest of the wait is over.
    func environment(
        guards: GuardKeeper, reporter: Environment.Reporter, survivesSuspend: Bool,
        wake: @escaping @MainActor () -> Void
    ) -> Environment {
        timer = TimerSource(wake)
        // A one-shot has no schedule: its looks are waited for like all else, and Dispatch need not begin to work.
        let schedule: any Alarm = survivesSuspend ? ScheduleTimer(wake) : TimerSource(wake)
        resume = survivesSuspend ? try? ResumeSource(wake) : nil
        return Environment(
            clock: clock(schedule), links: links, methods: methods.environment, probes: probes,
            guard: guards.environment,
            memory: Environment.Memory(
                remember: { [unowned self] in memory?.remember($0, $1) },
                rememberBounces: { [unowned self] in memory?.remember($0, $1) }),
            reporter: reporter)
    }

    private func clock(_ schedule: any Alarm) -> Environment.Clock {
        Environment.Clock(
            now: { Instant(nanoseconds: BootClock.now()) },
            schedule: { schedule.set(to: $0) },
            wake: { [unowned self] in timer?.set(to: $0) })
    }

    private var links: Environment.Links {
        let (netlink, methods, scans) = (netlink, methods, scans)
        return Environment.Links(
            survey: { [unowned self] index, done in
                // What was announced together is heard first.
                EventLoop.soon { self.survey(index, mayBeKnown: true, done) }
            },
            surveyWithLogins: { [unowned self] in surveyWithLogins($0, $1) },
            surveyWithLife: { [unowned self] in surveyWithLife($0, heardWithin: $1, $2) },
            surveyWithPowerSave: { [unowned self] in survey($0, asksForPowerSave: true, $1) },
            takeSnapshot: { [unowned self] subject, done in
                netlink.takeSnapshot(of: subject.index) { [asksForScanner] in
                    done($0.map { Self.kept($0, of: subject, withScanner: asksForScanner) })
                }
            },
            takeKeepsake: { subject, done in
                netlink.takeSnapshot(of: subject.index) { taken in
                    done(taken.map { $0.isWorthKeeping ? Self.kept($0, of: subject) : Snapshot() })
                }
            },
            listen: { scans.listen(to: $1, on: $0.index, $2) },
            cutScanShort: { netlink.cutScanShort(for: $1, heardSince: $2, on: $0.index, $3) },
            askAgain: { netlink.askAgain(for: $1, on: $0.index) },
            restore: { subject, snapshot, isPuttingBack, done in
                let current = methods.current(snapshot, of: subject.index)
                netlink.restore(current, on: subject.index, puttingBack: isPuttingBack) {
                    done(Self.compared($0, with: snapshot, on: subject))
                }
            })
    }

    /// Who keeps the interface costs a look at every process: only where somebody may have given it an address.
    /// - Parameter withScanner: also who has it scan, of a station.
    private static func kept(
        _ snapshot: Snapshot, of subject: Subject, withScanner: Bool = false
    ) -> Snapshot {
        let isKept = snapshot.items.contains { $0.provision == .provided }
        guard isKept || withScanner else { return snapshot }
        let isWireless = OwnerKeeper.isWireless(subject)
        guard isKept || isWireless else { return snapshot }
        let ownership = OwnerKeeper().ownership(of: subject, isWireless: isWireless)
        var snapshot = snapshot
        if withScanner { snapshot.scanner = ownership.scanner }
        guard isKept else { return snapshot }
        snapshot.keeper = ownership.keeper
        snapshot.hasNameServers = snapshot.patience != nil && hasNameServers(subject)
        return snapshot
    }

    private static func hasNameServers(_ subject: Subject) -> Bool {
        NameServerFiles().haveOwn(of: subject.name, subject.index)
    }

    private static func compared(
        _ restoration: Restoration, with snapshot: Snapshot, on subject: Subject
    ) -> Restoration {
        var restoration = restoration
        restoration.lacksNameServers = snapshot.hasNameServers && !hasNameServers(subject)
        return restoration
    }

    private var probes: Environment.Probes {
        let prober = prober
        return Environment.Probes(
            start: { prober.start($0, on: $1.index, interfaceName: $1.name, $2) },
            cancel: { prober.cancel($0, on: $1.index) })
    }
}

extension Survey {
    fileprivate func with<Part>(_ part: Part, in place: WritableKeyPath<Survey, Part>) -> Survey {
        var survey = self
        survey[keyPath: place] = part
        return survey
    }
}

extension RadioBlock {
    init(_ block: RadioSwitches.Block) {
        switch block {
        case .none: self = .none
        case .soft: self = .soft
        case .hard: self = .hard
        }
    }
}

extension Prober {
    fileprivate func heard(_ notification: NetlinkMonitor.Notification) {
        switch notification {
        case .linkChanged, .linkRemoved, .addressChanged, .addressRemoved, .routeChanged, .routeRemoved,
            .wirelessConnected, .wirelessDisconnected, .overran, .deafened:
            networkChanged(notification.index)
        case .neighbourChanged, .deauthenticated, .joinAttempted, .wirelessAppeared, .scanBegun,
            .scanFinished:
            break
        }
    }
}

extension Alarm {
    fileprivate func set(to moment: Instant?) {
        if let moment { schedule(atBootNanoseconds: moment.nanoseconds) } else { cancel() }
    }
}
