import Invocation
import Model
import Netlink
import Platform
import Recovery
import Reporting
import Service
import Toggling

/// Which interfaces are watched, while they appear, disappear and change their names.
extension WatchService {
    func watch(_ link: Link, lock: InterfaceLock?, isPresent: Bool) {
        let now = Instant(nanoseconds: BootClock.now())
        let place = watched.count
        let interfaceRef = InterfaceRef(id: nextID, index: link.index, name: link.name)
        nextID += 1
        let settings = settings(for: link)
        watched[interfaceRef.id] = Watched(link, interfaceRef, settings, lock: lock, isPresent: isPresent)
        history?.recall(interfaceRef) { [unowned self] in watched[interfaceRef.id]?.interfaceStatus.recall($0)
        }
        history?.begin(interfaceRef)
        let beginning = Trace.Beginning(
            runMode: .watch, settings: settings, seed: .random(in: .min ... .max),
            appearedAt: hasBegun && isPresent ? now : nil,
            knownTargets: store.knownTargets(of: link.name), limiter: store.bounces(of: link.name),
            place: place)
        recorder?.begin(beginning, interfaceRef, at: now)
        printer.know(settings, of: interfaceRef)
        interpreter.add(beginning.toggler, for: interfaceRef, isPresent: isPresent)
        checkForHold(of: interfaceRef.id)
    }

    /// Once, after the first check, which must not wait for a read of every process.
    func tellOwner(of interfaceRef: InterfaceRef) {
        let ownership = OwnerLookup().ownership(of: interfaceRef)
        printer.note(.info, "\(interfaceRef.name): \(ownership.text)", about: interfaceRef.name)
        printer.warn(ownership, of: interfaceRef)
    }

    func watchAbsent(_ name: String) {
        let nowhere = Link(
            index: InterfaceIndex(rawValue: 0), name: name, isUp: false, hasCarrier: false,
            operationalState: .notPresent)
        watch(nowhere, lock: takeLock(name, wait: request.wait), isPresent: false)
    }

    func notice(_ notification: NetlinkMonitor.Notification) {
        guard hasBegun else { return }
        noticeSleep()
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
        case .monitorFailed(let failure): endWithoutMonitor(failure)
        default: post(notification)
        }
    }

    /// Announcements from before the suspend are read after this.
    func noticeSleep() {
        guard sleepMeter.hasSlept() else { return }
        history?.sleptFor(sleepMeter.lastSleep)
        live.resumed()
        interpreter.postToAll(.resumed)
    }

    private func post(_ notification: NetlinkMonitor.Notification) {
        guard let index = notification.index, let id = id(of: index) else { return }
        for event in notification.events(for: index) { interpreter.post(event, to: id) }
    }

    private func id(of index: InterfaceIndex) -> Int? {
        watched.first { $0.value.isPresent && $0.value.interfaceRef.index == index }?.key
    }

    private func linkChanged(_ link: Link) {
        if let id = id(of: link.index) {
            rename(id, to: link.name)
            noteAddresses(of: link, id)
            interpreter.post(.linkChanged(link), to: id)
        } else if foreign[link.index] != link.name, isNamed(link.name) || isKnown(link) {
            consider(link)
        } else {
            candidates[link.index] = nil
        }
    }

    private func isKnown(_ link: Link) -> Bool {
        watched.values.contains { !$0.isPresent && $0.isMadeOf(link) }
    }

    private func rename(_ id: Int, to name: String) {
        guard let old = watched[id]?.interfaceRef, old.name != name else { return }
        tell(.renamed(to: name), about: old.name)
        rebind(id, InterfaceRef(id: id, index: old.index, name: name))
    }

    /// The current address may change at any time.
    private func noteAddresses(of link: Link, _ id: Int) {
        let addresses = Request.addresses(of: link)
        guard watched[id]?.addresses != addresses else { return }
        watched[id]?.addresses = addresses
        reconfigure(id)
    }

    /// The configuration of an interface may have changed: the file was read again, or the interface has
    /// another name or address, or is other hardware.
    func reconfigure(_ id: Int) {
        guard let interfaceRef = watched[id]?.interfaceRef else { return }
        let settings = settings(of: interfaceRef)
        guard settings != watched[id]?.settings else { return }
        watched[id]?.settings = settings
        printer.know(settings, of: interfaceRef)
        interpreter.post(.reconfigured(settings), to: id)
    }

    private func rebind(_ id: Int, _ interfaceRef: InterfaceRef) {
        let isRenamed = watched[id]?.interfaceRef.name != interfaceRef.name
        if isRenamed {
            // In two steps: the dictionary must not be read while an entry is being changed.
            let lock = lockOfRenamed(interfaceRef.name, id)
            watched[id]?.lock = lock
        }
        watched[id]?.interfaceRef = interfaceRef
        interpreter.rebind(interfaceRef)
        reconfigure(id)
        if isRenamed { checkForHold(of: id) }
    }

    /// It disappeared with its driver and came back with it.
    func moved(_ interfaceRef: InterfaceRef) {
        watched[interfaceRef.id]?.isPresent = true
        if let name = watched[interfaceRef.id]?.interfaceRef.name, name != interfaceRef.name {
            tell(.renamed(to: interfaceRef.name), about: name)
        }
        rebind(interfaceRef.id, interfaceRef)
    }

    /// Another name means another lock file. If another run has taken that one, the old one stays.
    private func lockOfRenamed(_ name: String, _ id: Int) -> InterfaceLock? {
        if isDryRun { return nil }
        switch LockTaker(request).tryToTake(name, wait: .zero) {
        case .success(let lock): return lock
        case .failure(let problem):
            printer.note(.warning, problem.sentence, about: name)
            return watched[id]?.lock
        }
    }

    private func linkRemoved(_ index: InterfaceIndex) {
        foreign[index] = nil
        candidates[index] = nil
        guard let id = id(of: index) else { return }
        watched[id]?.isPresent = false
        interpreter.post(.linkRemoved, to: id)
    }

    /// A new link: to be watched, watched before, or neither. It is read together with all that appear while
    /// the kernel answers, which may be thousands.
    private func consider(_ link: Link) {
        candidates[link.index] = link
        if !isConsidering { considerAll() }
    }

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

    private func judge(_ candidate: Candidate) {
        let link = candidate.link
        guard id(of: link.index) == nil else { return }
        let returning = watched.values.first {
            !$0.isPresent && ($0.interfaceRef.name == link.name || $0.isMadeOf(link))
        }
        let isPermitted = candidate.isStation || settings(for: link).allowsAnyInterface
        guard isMeant(candidate) || returning != nil && isPermitted else {
            // A Wi-Fi interface of another type may become a station.
            if candidate.wireless == nil { foreign[link.index] = link.name }
            return
        }
        if let returning { welcome(returning.interfaceRef.id, link) } else { watchNew(link) }
    }

    private func welcome(_ id: Int, _ link: Link) {
        watched[id]?.isPresent = true
        watched[id]?.addresses = Request.addresses(of: link)
        watched[id]?.identity = link.identity
        rebind(id, InterfaceRef(id: id, index: link.index, name: link.name))
        interpreter.post(.linkAppeared(link), to: id)
    }

    private func watchNew(_ link: Link) {
        var lock: InterfaceLock?
        if !isDryRun {
            switch LockTaker(request).tryToTake(link.name, wait: .zero) {
            case .success(let taken):
                lock = taken
                RepairCommand(request, console).finishFirst(link.name)
            case .failure(let problem): return printer.note(.warning, problem.sentence, about: link.name)
            }
        }
        watch(link, lock: lock, isPresent: true)
    }

    /// Announcements may have been missed: these are the existing links.
    func reconcile(_ links: [Link]) {
        let there = Set(links.map(\.index))
        foreign = foreign.filter { there.contains($0.key) }
        candidates = candidates.filter { there.contains($0.key) }
        for watched in watched.values where watched.isPresent && !there.contains(watched.interfaceRef.index) {
            linkRemoved(watched.interfaceRef.index)
        }
        for link in links { linkChanged(link) }
    }

    /// Reported in order, and as they were: a block that was lifted meanwhile has affected the link.
    func radiosChanged(_ changes: [RadioSwitches.Change]) {
        for watched in watched.values where watched.isPresent {
            let id = watched.interfaceRef.id
            live.netlink.wireless(watched.interfaceRef.index) { [unowned self] result in
                guard case .success(let wireless?) = result else { return }
                for change in changes where change.phy == wireless.phy {
                    interpreter.post(.radioChanged(RadioBlock(change.block)), to: id)
                }
            }
        }
    }
}
