import Invocation
import Model
import Netlink
import Platform
import Recovery
import Reporting
import Service
import Toggling

/// Notices which interfaces appear, disappear and change their names. An interface is identified by its
/// index. One that comes back is recognised by its hardware address or its name.
final class InterfaceWatcher {
    private let configuration: ServiceConfiguration
    private let interfaces: WatchedInterfaces
    private let live: LiveEnvironment
    private let interpreter: Interpreter
    private let store: StateStore
    private let console: Console
    private let printer: ReportPrinter
    /// The history; nil in a dry run, which records nothing.
    var history: HistoryWriter?
    /// Records a trace; nil if none is recorded.
    var recorder: TraceRecorder?
    /// Reports holds; nil in a dry run.
    var holds: HoldReporter?
    /// Called with a record about an interface, and with the interface as it was before the event.
    var tell: (Record, InterfaceRef) -> Void = { _, _ in }
    /// Called when the kernel's announcements cannot be received any more.
    var monitorFailed: (Failure) -> Void = { _ in }
    /// Whether the service is ending. Then no interface is added, because the service ends once no interface
    /// is watched any more.
    var isEnding = false

    /// The interfaces that are not Wi-Fi, with their names. They are not examined again while they exist with
    /// these names.
    private var foreign: [InterfaceIndex: String] = [:]
    /// The interfaces that will be examined next, as they were last announced.
    private var candidates: [InterfaceIndex: Link] = [:]
    private var isConsidering = false
    /// The interfaces that are being repaired before they are watched: their indexes, by their names when the
    /// repair began.
    private var beingRepaired: [String: InterfaceIndex] = [:]
    /// Whether no interface is watched or being repaired.
    var isIdle: Bool { interfaces.isEmpty && beingRepaired.isEmpty }
    private var suspends = SuspendDetector()
    private(set) lazy var locks = InterfaceLocks(configuration, interfaces, console, printer) {
        [unowned self] in inventory.ask()
    }
    private lazy var inventory = LinkInventory(live.netlink) { [unowned self] in reconcile($0) }
    /// Whether the interfaces that existed at the start are being watched. Earlier announcements are ignored,
    /// because all links are read once more after the start.
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

    /// Selects the interfaces to watch. Ends the process if an interface that was named must not be watched.
    func choose(from candidates: [Candidate]) -> [Candidate] {
        for pattern in configuration.request.interfaces where !pattern.isGlob {
            guard let candidate = candidates.first(where: { $0.link.name == pattern.text }) else { continue }
            let settings = configuration.settings(for: candidate.link)
            if case .failure(let problem) = InterfaceResolver.permitted(candidate, settings) {
                console.fail(problem.description, problem.status)
            }
        }
        let meant = candidates.filter(configuration.isMeant)
        let indexes = Set(meant.map(\.link.index))
        for stranger in candidates where stranger.wireless == nil && !indexes.contains(stranger.link.index) {
            foreign[stranger.link.index] = stranger.link.name
        }
        return meant
    }

    /// Starts watching these interfaces, whose locks were taken, and the named interfaces that do not exist
    /// yet.
    func begin(_ chosen: [(Candidate, InterfaceLock?)], absent names: [String]) {
        for (candidate, lock) in chosen { repairAndWatch(candidate.link, lock, isPresent: true) }
        for name in names {
            let nowhere = Link(
                index: InterfaceIndex(rawValue: 0), name: name, isUp: false, hasCarrier: false,
                operationalState: .notPresent)
            repairAndWatch(nowhere, locks.take(name), isPresent: false)
        }
        hasBegun = true
        inventory.ask()
    }

    /// Finishes an interrupted bounce of an interface, if there is one, and then watches the interface. The
    /// repair may take long, because of a slow driver or the times in the record, or because the kernel
    /// refuses to set the link up. The checks of other interfaces continue meanwhile; their bounces wait for
    /// an attempt to repair, and fail if it takes more than ten seconds. Each needs a guard, which is created
    /// by fork(2), and no other thread may be at work during a fork (`GuardPool`).
    private func repairAndWatch(_ link: Link, _ lock: InterfaceLock?, isPresent: Bool) {
        let repair = RepairCommand(configuration.request, console, configuration.file)
        guard !configuration.isDryRun, repair.isNeeded(link.name) else {
            return watch(link, lock: lock, isPresent: isPresent)
        }
        beingRepaired[link.name] = link.index
        FirstRepair(repair, link.name).begin { [unowned self] in
            beingRepaired[link.name] = nil
            watch(link, lock: lock, isPresent: isPresent)
            // A change that was announced during the repair, such as a new name, was not noticed. Read the
            // links again.
            inventory.ask()
        }
    }

    private func watch(_ link: Link, lock: InterfaceLock?, isPresent: Bool) {
        // The service may have been told to end while the interface was being repaired.
        guard !isEnding else { return }
        let now = Instant.now
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
        if !settings.isDryRun { warnOfForbiddenMethods(settings, of: link.name) }
        holds?.check(watched)
    }

    /// Warns about methods that would be refused, as soon as the interface is watched: in an outage, the
    /// warning would come too late.
    private func warnOfForbiddenMethods(_ settings: Settings, of name: String) {
        for forbidden in MethodAccess.ofThisProcess.forbidden(of: settings.namedMethods, on: name) {
            let finding = SetupFinding(.forbiddenMethods(forbidden), of: name)
            console.say(Line(.warning, finding.line), about: name)
        }
    }

    // MARK: Announcements

    func notice(_ notification: NetlinkMonitor.Notification) {
        guard hasBegun else { return }
        noticeSuspend()
        switch notification {
        case .linkChanged(let link):
            inventory.becameOlder()
            let event = interfaces.eventBelow(link)
            linkChanged(link)
            if let event { postBelow(link.index, event) }
        case .linkRemoved(let index):
            inventory.becameOlder()
            postBelow(index, .addressingLost)
            linkRemoved(index)
        case .overran:
            interpreter.postToAll(.monitorOverran)
            inventory.ask()
        case .monitorFailed(let failure): monitorFailed(failure)
        // Any interface may have members of the group.
        case .nextHopGroupChanged: interpreter.postToAll(.addressingChanged)
        case .nextHopGroupRemoved: interpreter.postToAll(.addressingLost)
        default:
            guard let index = notification.index else { return }
            let concerned =
                [interfaces.present(at: index)].compactMap(\.self) + interfaces.ports(of: index)
                + interfaces.below(index)
            for watched in concerned {
                for event in notification.events(for: index) { interpreter.post(event, to: watched.id) }
            }
        }
    }

    /// Reports an event of a VLAN to the watched interfaces below it, whose baselines contain its items.
    private func postBelow(_ vlan: InterfaceIndex, _ event: Event) {
        for watched in interfaces.below(vlan) { interpreter.post(event, to: watched.id) }
    }

    /// Handles a suspend of the machine. Announcements from before the suspend are read after this.
    func noticeSuspend() {
        guard suspends.hasSlept() else { return }
        history?.sleptFor(suspends.lastSleep)
        live.resumed()
        interpreter.postToAll(.resumed(slept: suspends.lastSleep))
    }

    private func linkChanged(_ link: Link) {
        if let before = interfaces.note(link), before != link.appearance {
            // When a link is set down, the kernel removes its routes without announcing that.
            let event: Event = before.isUp && !link.isUp ? .addressingLost : .addressingChanged
            for port in interfaces.ports(of: link.index) { interpreter.post(event, to: port.id) }
        }
        if let watched = interfaces.present(at: link.index) {
            if watched.name != link.name {
                update(watched, InterfaceRef(id: watched.id, index: link.index, name: link.name))
            }
            watched.master = link.port?.master
            // The present hardware address may change at any time.
            let addresses = Request.addresses(of: link)
            if watched.addresses != addresses {
                watched.addresses = addresses
                reconfigure(watched)
            }
            interpreter.post(.linkChanged(link), to: watched.id)
        } else if foreign[link.index] != link.name, configuration.isNamed(link.name) || isKnown(link) {
            // The state of Wi-Fi is read once for all interfaces that have appeared meanwhile; there may be
            // thousands.
            candidates[link.index] = link
            if !isConsidering { considerAll() }
        } else {
            candidates[link.index] = nil
        }
    }

    private func isKnown(_ link: Link) -> Bool {
        interfaces.all.contains { !$0.isPresent && $0.isSameHardware(as: link) }
    }

    private func linkRemoved(_ index: InterfaceIndex) {
        foreign[index] = nil
        candidates[index] = nil
        locks.keepOnly { $0 != index }
        interfaces.forget(index)
        guard let watched = interfaces.present(at: index) else { return }
        watched.isPresent = false
        interpreter.post(.linkRemoved, to: watched.id)
    }

    /// Compares the watched interfaces with the links that exist, because announcements may have been missed.
    private func reconcile(_ links: [Link]) {
        let there = Set(links.map(\.index))
        foreign = foreign.filter { there.contains($0.key) }
        candidates = candidates.filter { there.contains($0.key) }
        locks.keepOnly(there.contains)
        for watched in interfaces.all where watched.isPresent && !there.contains(watched.interfaceRef.index) {
            linkRemoved(watched.interfaceRef.index)
        }
        for link in links { linkChanged(link) }
    }

    /// Reports changes of rfkill switches in their order. A block that has ended already is reported, too,
    /// because it has affected the link.
    func radiosChanged(_ changes: [RadioSwitches.Change]) {
        live.kernelState.heard(changes)
        for watched in interfaces.all where watched.isPresent {
            live.netlink.wireless(watched.interfaceRef.index) { [unowned self] result in
                guard case .success(let wireless?) = result else { return }
                for change in changes where change.phy == wireless.phy {
                    interpreter.post(.radioChanged(change.block), to: watched.id)
                }
            }
        }
    }

    // MARK: Names and settings

    /// Handles an interface that has disappeared with its driver, and has come back with another index.
    func moved(_ interfaceRef: InterfaceRef) {
        guard let watched = interfaces[interfaceRef] else { return }
        watched.isPresent = true
        update(watched, interfaceRef)
    }

    /// Gives an interface its new index or name.
    private func update(
        _ watched: WatchedInterface, _ interfaceRef: InterfaceRef, isReported: Bool = true
    ) {
        let isRenamed = watched.name != interfaceRef.name
        if isRenamed {
            if isReported {
                tell(.renamed(watched.name, to: interfaceRef.name, at: .now), watched.interfaceRef)
            }
            watched.lock = locks.ofRenamed(watched, interfaceRef.name)
        }
        watched.interfaceRef = interfaceRef
        interpreter.update(interfaceRef)
        reconfigure(watched)
        if isRenamed { holds?.check(watched) }
    }

    /// Applies the settings of an interface again: the file was read again, or the interface has another name
    /// or address, or is other hardware.
    private func reconfigure(_ watched: WatchedInterface) {
        let settings = configuration.settings(of: watched)
        guard settings != watched.settings else { return }
        watched.settings = settings
        printer.know(settings, of: watched.interfaceRef)
        interpreter.post(.reconfigured(settings), to: watched.id)
    }

    /// Applies a configuration that was read again to all interfaces. It may permit interfaces that are not
    /// Wi-Fi, so those are examined again, too.
    func reconfigureAll() {
        for watched in interfaces.all { reconfigure(watched) }
        foreign = [:]
        inventory.ask()
    }

    // MARK: New interfaces

    private func considerAll() {
        let asked = candidates.keys
        isConsidering = true
        live.netlink.wirelessInterfaces { [unowned self] result in
            isConsidering = false
            guard case .success(let wireless) = result else { return inventory.askLater() }
            for index in asked {
                // An interface may have disappeared meanwhile, or have a new name.
                guard let link = candidates.removeValue(forKey: index) else { continue }
                judge(Candidate(link: link, wireless: wireless[index]))
            }
            if !candidates.isEmpty { considerAll() }
        }
    }

    /// Decides whether an interface is watched: as a new one, as one that has come back, or not at all.
    private func judge(_ candidate: Candidate) {
        let link = candidate.link
        // An interface may be renamed during its repair, or come back with another index.
        let isRepaired = beingRepaired.contains { $0.key == link.name || $0.value == link.index }
        guard interfaces.present(at: link.index) == nil, !isRepaired else { return }
        let returning = interfaces.absent(like: link)
        let isPermitted = candidate.isStation || configuration.settings(for: link).allowsAnyInterface
        guard configuration.isMeant(candidate) || returning != nil && isPermitted else {
            // A Wi-Fi interface of another type may become a station later.
            if candidate.wireless == nil { foreign[link.index] = link.name }
            return
        }
        if let returning { welcome(returning, link) } else { watchNew(link) }
    }

    private func welcome(_ watched: WatchedInterface, _ link: Link) {
        watched.isPresent = true
        live.methods.returned(watched.interfaceRef, with: link.index)
        watched.addresses = Request.addresses(of: link)
        watched.identity = link.identity
        watched.master = link.port?.master
        update(watched, InterfaceRef(id: watched.id, index: link.index, name: link.name), isReported: false)
        interpreter.post(.linkAppeared(link), to: watched.id)
    }

    private func watchNew(_ link: Link) {
        // While the service is ending, an interface whose toggler has finished may still be announced.
        guard !isEnding else { return }
        locks.take(for: link) { repairAndWatch(link, $0, isPresent: true) }
    }
}
