import Invocation
import Model
import Netlink
import Platform
import Recovery
import Reporting
import Service
import Toggling

/// Watches which interfaces exist: they appear, disappear, and change their names. It identifies one by its
/// index, and recognises one that comes back by its hardware address, or by its name.
final class InterfaceWatcher {
    private let configuration: ServiceConfiguration
    private let interfaces: WatchedInterfaces
    private let live: LiveEnvironment
    private let interpreter: Interpreter
    private let store: StateStore
    private let console: Console
    private let printer: ReportPrinter
    /// nil: a dry run records nothing.
    var history: HistoryWriter?
    /// nil: no trace is recorded.
    var recorder: TraceRecorder?
    /// nil: a dry run reports no holds.
    var holds: HoldReporter?
    /// Called with what happens to an interface, as it was before.
    var tell: (Record, InterfaceRef) -> Void = { _, _ in }
    /// Called when announcements cannot be received any more.
    var monitorFailed: (Failure) -> Void = { _ in }

    /// Interfaces, with their names, that were found not to be Wi-Fi: they are not examined again while they
    /// exist under these names.
    private var foreign: [InterfaceIndex: String] = [:]
    /// Interfaces to be examined next, as last announced.
    private var candidates: [InterfaceIndex: Link] = [:]
    private var isConsidering = false
    /// By name, as it was when the repair began; not watched yet.
    private var beingRepaired: [String: InterfaceIndex] = [:]
    /// Whether there is none to watch, not even soon.
    var isIdle: Bool { interfaces.isEmpty && beingRepaired.isEmpty }
    private var suspends = SuspendDetector()
    private lazy var inventory = LinkInventory(live.netlink) { [unowned self] in reconcile($0) }
    /// The interfaces that existed at the start are watched; earlier announcements are covered by reading
    /// them again.
    private var hasBegun = false

    init(
        _ configuration: ServiceConfiguration, _ interfaces: WatchedInterfaces, _ live: LiveEnvironment,
        _ interpreter: Interpreter, _ store: StateStore, _ console: Console, _ printer: ReportPrinter
    ) {
        self.configuration = configuration
        self.interfaces = interfaces
        self.live = live
        self.interpreter = interpreter
        self.store = store
        self.console = console
        self.printer = printer
    }

    // MARK: Start

    /// Those to watch; ends the process if one that was named must not be watched.
    func choose(from candidates: [Candidate]) -> [Candidate] {
        for pattern in configuration.request.interfaces where !pattern.isGlob {
            guard let candidate = candidates.first(where: { $0.link.name == pattern.text }) else { continue }
            let settings = configuration.settings(for: candidate.link)
            if case .failure(let problem) = InterfaceResolver.permitted(candidate, settings) {
                console.fail(problem.sentence, problem.status)
            }
        }
        let meant = candidates.filter(configuration.isMeant)
        let indexes = Set(meant.map(\.link.index))
        for stranger in candidates where stranger.wireless == nil && !indexes.contains(stranger.link.index) {
            foreign[stranger.link.index] = stranger.link.name
        }
        return meant
    }

    /// Begins with these, of which it has the locks, and with those named that do not exist yet.
    func begin(_ chosen: [(Candidate, InterfaceLock?)], absent names: [String]) {
        for (candidate, lock) in chosen { repairAndWatch(candidate.link, lock, isPresent: true) }
        for name in names {
            let nowhere = Link(
                index: InterfaceIndex(rawValue: 0), name: name, isUp: false, hasCarrier: false,
                operationalState: .notPresent)
            repairAndWatch(nowhere, takeLock(name), isPresent: false)
        }
        hasBegun = true
        inventory.ask()
    }

    /// Watches it when what an earlier run left half done is finished. That may take as long as a driver likes,
    /// and what else the record says. The checks of others go on; a bounce of theirs waits with its guard, which
    /// is made by fork(2) (`GuardPool`).
    private func repairAndWatch(_ link: Link, _ lock: InterfaceLock?, isPresent: Bool) {
        let repair = RepairCommand(configuration.request, console, configuration.file)
        guard !configuration.isDryRun, repair.isNeeded(link.name) else {
            return watch(link, lock: lock, isPresent: isPresent)
        }
        beingRepaired[link.name] = link.index
        repair.finishFirst(link.name) { [unowned self] in
            beingRepaired[link.name] = nil
            watch(link, lock: lock, isPresent: isPresent)
            // What was announced meanwhile was not noticed, such as another name.
            inventory.ask()
        }
    }

    private func watch(_ link: Link, lock: InterfaceLock?, isPresent: Bool) {
        let now = Instant(nanoseconds: BootClock.now())
        let place = interfaces.count
        let interfaceRef = InterfaceRef(id: interfaces.newID(), index: link.index, name: link.name)
        let settings = configuration.settings(for: link)
        let watched = WatchedInterface(link, interfaceRef, settings, lock: lock, isPresent: isPresent)
        interfaces.add(watched)
        history?.recall(interfaceRef) { [weak watched] in watched?.interfaceStatus.recall($0) }
        history?.begin(interfaceRef)
        let beginning = Trace.Beginning(
            runMode: .watch, settings: settings, seed: .random(in: .min ... .max),
            appearedAt: hasBegun && isPresent ? now : nil,
            knownTargets: store.knownTargets(of: link.name), limiter: store.bounces(of: link.name),
            place: place)
        recorder?.begin(beginning, interfaceRef, at: now)
        printer.know(settings, of: interfaceRef)
        interpreter.add(beginning.toggler, for: interfaceRef, isPresent: isPresent)
        holds?.check(watched)
    }

    // MARK: Locks

    /// The lock of an interface, for which it waits as long as the command line says, or the end of the
    /// process.
    func takeLock(_ name: String) -> InterfaceLock? {
        if configuration.isDryRun { return nil }
        let request = configuration.request
        return LockTaker(request).take(name, wait: request.wait, console)
    }

    /// Another name means another lock file. If another run has taken that one, the old one stays.
    private func lockOfRenamed(_ watched: WatchedInterface, _ name: String) -> InterfaceLock? {
        if configuration.isDryRun { return nil }
        switch LockTaker(configuration.request).tryToTake(name, wait: .zero) {
        case .success(let lock): return lock
        case .failure(let problem):
            printer.note(.warning, problem.sentence, about: name)
            return watched.lock
        }
    }

    // MARK: Announcements

    func notice(_ notification: NetlinkMonitor.Notification) {
        guard hasBegun else { return }
        noticeSuspend()
        switch notification {
        case .linkChanged(let link):
            inventory.becameOlder()
            linkChanged(link)
        case .linkRemoved(let index):
            inventory.becameOlder()
            linkRemoved(index)
        case .overran:
            interpreter.postToAll(.monitorOverran)
            inventory.ask()
        case .monitorFailed(let failure): monitorFailed(failure)
        default:
            guard let index = notification.index else { return }
            let concerned = [interfaces.present(at: index)].compactMap(\.self) + interfaces.ports(of: index)
            for watched in concerned {
                for event in notification.events(for: index) { interpreter.post(event, to: watched.id) }
            }
        }
    }

    /// Announcements from before the suspend are read after this.
    func noticeSuspend() {
        guard suspends.hasSlept() else { return }
        history?.sleptFor(suspends.lastSleep)
        live.resumed()
        interpreter.postToAll(.resumed)
    }

    private func linkChanged(_ link: Link) {
        if let before = interfaces.note(link), before != link.appearance {
            // With a link that is set down the kernel removes routes, and announces none of them.
            let event: Event = before.isUp && !link.isUp ? .addressingLost : .addressingChanged
            for port in interfaces.ports(of: link.index) { interpreter.post(event, to: port.id) }
        }
        if let watched = interfaces.present(at: link.index) {
            if watched.name != link.name {
                rebind(watched, InterfaceRef(id: watched.id, index: link.index, name: link.name))
            }
            watched.master = link.port?.master
            // The current address may change at any time.
            let addresses = Request.addresses(of: link)
            if watched.addresses != addresses {
                watched.addresses = addresses
                reconfigure(watched)
            }
            interpreter.post(.linkChanged(link), to: watched.id)
        } else if foreign[link.index] != link.name, configuration.isNamed(link.name) || isKnown(link) {
            // Read together with all that appear while the kernel answers, which may be thousands.
            candidates[link.index] = link
            if !isConsidering { considerAll() }
        } else {
            candidates[link.index] = nil
        }
    }

    private func isKnown(_ link: Link) -> Bool {
        interfaces.all.contains { !$0.isPresent && $0.isMadeOf(link) }
    }

    private func linkRemoved(_ index: InterfaceIndex) {
        foreign[index] = nil
        candidates[index] = nil
        interfaces.forget(index)
        guard let watched = interfaces.present(at: index) else { return }
        watched.isPresent = false
        interpreter.post(.linkRemoved, to: watched.id)
    }

    /// Announcements may have been missed: these are the existing links.
    private func reconcile(_ links: [Link]) {
        let there = Set(links.map(\.index))
        foreign = foreign.filter { there.contains($0.key) }
        candidates = candidates.filter { there.contains($0.key) }
        for watched in interfaces.all where watched.isPresent && !there.contains(watched.interfaceRef.index) {
            linkRemoved(watched.interfaceRef.index)
        }
        for link in links { linkChanged(link) }
    }

    /// Reported in order, and as they were: a block that was lifted meanwhile has affected the link.
    func radiosChanged(_ changes: [RadioSwitches.Change]) {
        for watched in interfaces.all where watched.isPresent {
            live.netlink.wireless(watched.interfaceRef.index) { [unowned self] result in
                guard case .success(let wireless?) = result else { return }
                for change in changes where change.phy == wireless.phy {
                    interpreter.post(.radioChanged(RadioBlock(change.block)), to: watched.id)
                }
            }
        }
    }

    // MARK: Names and settings

    /// It disappeared with its driver and came back with it.
    func moved(_ interfaceRef: InterfaceRef) {
        guard let watched = interfaces[interfaceRef] else { return }
        watched.isPresent = true
        rebind(watched, interfaceRef)
    }

    /// The interface has another index, or another name.
    private func rebind(
        _ watched: WatchedInterface, _ interfaceRef: InterfaceRef, isReported: Bool = true
    ) {
        let isRenamed = watched.name != interfaceRef.name
        if isRenamed {
            let now = Instant(nanoseconds: BootClock.now())
            if isReported {
                tell(.renamed(watched.name, to: interfaceRef.name, at: now), watched.interfaceRef)
            }
            watched.lock = lockOfRenamed(watched, interfaceRef.name)
        }
        watched.interfaceRef = interfaceRef
        interpreter.rebind(interfaceRef)
        reconfigure(watched)
        if isRenamed { holds?.check(watched) }
    }

    /// The configuration of an interface may have changed: the file was read again, or the interface has
    /// another name or address, or is other hardware.
    func reconfigure(_ watched: WatchedInterface) {
        let settings = configuration.settings(of: watched)
        guard settings != watched.settings else { return }
        watched.settings = settings
        printer.know(settings, of: watched.interfaceRef)
        interpreter.post(.reconfigured(settings), to: watched.id)
    }

    // MARK: New interfaces

    private func considerAll() {
        let asked = candidates.keys
        isConsidering = true
        live.netlink.wirelessInterfaces { [unowned self] result in
            isConsidering = false
            guard case .success(let wireless) = result else { return inventory.askLater() }
            for index in asked {
                // Some have disappeared meanwhile, others have a new name.
                guard let link = candidates.removeValue(forKey: index) else { continue }
                judge(Candidate(link: link, wireless: wireless[index]))
            }
            if !candidates.isEmpty { considerAll() }
        }
    }

    /// To be watched, watched before, or neither.
    private func judge(_ candidate: Candidate) {
        let link = candidate.link
        // It may be renamed while it is repaired, or come back with its driver under another index.
        let isRepaired = beingRepaired.contains { $0.key == link.name || $0.value == link.index }
        guard interfaces.present(at: link.index) == nil, !isRepaired else { return }
        let returning = interfaces.absent(like: link)
        let isPermitted = candidate.isStation || configuration.settings(for: link).allowsAnyInterface
        guard configuration.isMeant(candidate) || returning != nil && isPermitted else {
            // A Wi-Fi interface of another type may become a station.
            if candidate.wireless == nil { foreign[link.index] = link.name }
            return
        }
        if let returning { welcome(returning, link) } else { watchNew(link) }
    }

    private func welcome(_ watched: WatchedInterface, _ link: Link) {
        watched.isPresent = true
        watched.addresses = Request.addresses(of: link)
        watched.identity = link.identity
        watched.master = link.port?.master
        rebind(watched, InterfaceRef(id: watched.id, index: link.index, name: link.name), isReported: false)
        interpreter.post(.linkAppeared(link), to: watched.id)
    }

    private func watchNew(_ link: Link) {
        if configuration.isDryRun { return watch(link, lock: nil, isPresent: true) }
        switch LockTaker(configuration.request).tryToTake(link.name, wait: .zero) {
        case .success(let lock): repairAndWatch(link, lock, isPresent: true)
        case .failure(let problem): printer.note(.warning, problem.sentence, about: link.name)
        }
    }
}
