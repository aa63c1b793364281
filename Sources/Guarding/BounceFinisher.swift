import Glibc
import Model
import Netlink
import Platform
import Recovery

/// Finishes a bounce in place of the process that began it: sets the link up, waits until it is operational,
/// and restores the lost items. Blocks until that is done.
struct BounceFinisher {
    /// The time between two checks whether the link is operational.
    private static let checkAgain: Duration = .milliseconds(50)
    /// The time between two attempts to restore items that the kernel has refused.
    private static let tryAgain: Duration = .milliseconds(500)
    /// The time between attempts to set the link up. It doubles from the first to the longest.
    private static let firstRetry: Duration = .milliseconds(250)
    private static let longestRetry: Duration = .seconds(5)

    let record: IntentRecord
    /// How long to repeat the attempt to set the link up if the kernel refuses it.
    let timeout: Duration
    /// False if the process that began the bounce has not reported that the link is down.
    var isBegun = true
    /// Waits for a duration. Returns false if the work is not wanted any more.
    let pause: (Duration) -> Bool
    /// Called when the link is up, before the wait for it to become operational.
    var raised: () -> Void = {}

    /// Sleeps, and returns true, so that the work continues.
    static func sleep(_ duration: Duration) -> Bool {
        usleep(UInt32(clamping: duration.nanoseconds / 1000))
        return true
    }

    /// Why the bounce cannot be finished.
    private enum NotFinished: Error {
        case gone, leftDown
        case failed(Failure)

        init(_ failure: Failure) { self = failure.kind == .noSuchDevice ? .gone : .failed(failure) }
    }

    /// Finishes the bounce.
    /// - Parameter stage: how far the bounce had got. The link is set up only if the bounce kept it down at
    ///   that stage.
    func run(_ kernel: inout NetlinkSession, from stage: IntentFile.Stage) -> FinishedBounce {
        do throws(NotFinished) {
            let (index, wasDown) = try raise(&kernel, from: stage)
            raised()
            let end = BootClock.now() + record.order.settle.nanoseconds
            try awaitOperational(&kernel, index, until: end)
            let snapshot = record.order.snapshot.moved(from: record.index, to: index)
            let rest = try awaitOwner(&kernel, index, of: snapshot, until: end)
            return .finished(wasDown: wasDown, try putBack(rest, &kernel, index, until: end))
        } catch {
            switch error {
            case .gone: return .gone
            case .leftDown: return .leftDown
            case .failed(let failure): return .notRaised(failure)
            }
        }
    }

    /// The link, if the interface is still the one in the record. An interface that a driver has created
    /// again is recognised by its device, because its address may differ.
    private func link(_ kernel: inout NetlinkSession, _ index: InterfaceIndex) throws(NotFinished) -> Link {
        let link: Link
        do throws(Failure) { link = try kernel.link(index) } catch { throw NotFinished(error) }
        switch record.undo {
        case .link, .radio: guard link.identity == record.order.macAddress else { throw .gone }
        case .driver, .reset, .unit: break
        }
        return link
    }

    /// Sets the link up. Returns the interface's present index, and whether the link was down.
    private func raise(
        _ kernel: inout NetlinkSession, from stage: IntentFile.Stage
    ) throws(NotFinished) -> (InterfaceIndex, wasDown: Bool) {
        let end = BootClock.now() + timeout.nanoseconds
        var wait = Self.firstRetry
        while true {
            do throws(NotFinished) {
                return try raiseOnce(&kernel, from: stage)
            } catch {
                guard case .failed = error, BootClock.now() + wait.nanoseconds <= end, pause(wait) else {
                    throw error
                }
            }
            wait = min(wait * 2, Self.longestRetry)
        }
    }

    private func raiseOnce(
        _ kernel: inout NetlinkSession, from stage: IntentFile.Stage
    ) throws(NotFinished) -> (InterfaceIndex, wasDown: Bool) {
        let (index, wasAway) = try interface(from: stage)
        do throws(NotFinished) {
            guard try !link(&kernel, index).isUp else { return (index, wasAway) }
        } catch {
            // The radio may be there without its interface, and its block would keep the next interface down.
            if case .gone = error, stage == .keptDown { unblock() }
            throw error
        }
        guard stage == .keptDown else { throw .leftDown }
        unblock()
        do throws(Failure) {
            try kernel.setAdministrativeState(up: true, of: index)
            return (index, true)
        } catch {
            throw NotFinished(error.ofRaising(index))
        }
    }

    /// Unblocks the radio if the bounce blocked it. An error is ignored: if the kernel refuses to unblock the
    /// radio, it also refuses to set the link up, and reports a clearer error.
    private func unblock() {
        if case .radio(let radio) = record.undo { try? radio.set(isBlocked: false) }
    }

    /// Returns the interface. If the bounce took away its driver or device, gives that back first, or waits until the
    /// unit that took it away has given it back.
    private func interface(
        from stage: IntentFile.Stage
    ) throws(NotFinished) -> (InterfaceIndex, wasAway: Bool) {
        // Nothing was done to the device, which had lost its interface before.
        if !isBegun, record.undo.isOfLoss, case .reset(let reset) = record.undo, !reset.isAway,
            !reset.hasInterface
        {
            throw .gone
        }
        let wasAway =
            switch record.undo {
            case .link, .radio: false
            case .driver(let binding): !binding.isBound && binding.isPlugged
            case .reset(let reset): reset.isAway
            case .unit(let unit): unit.reset.isAway
            }
        // At any other stage the bounce had given the driver or device back already, so another program has
        // taken it away.
        if wasAway, stage != .keptDown { throw .leftDown }
        do throws(DriverBinding.Problem) {
            guard let found = try interfaceBack() else { return (record.index, false) }
            return (InterfaceIndex(rawValue: found.index), wasAway)
        } catch {
            // The unit could not bring back the interface, or was not started: there is nothing more to wait for.
            if record.undo.isOfLoss, case .unit(let unit) = record.undo, !unit.isAtWork { throw .gone }
            throw NotFinished(Failure(error))
        }
    }

    /// Gives the driver or device back and returns its interface; nil if the bounce took neither away.
    private func interfaceBack() throws(DriverBinding.Problem) -> DriverBinding.Interface? {
        switch record.undo {
        case .link, .radio: return nil
        case .driver(let binding):
            try binding.bind()
            return try binding.awaitInterface(named: record.name, pause: pause)
        case .reset(let reset):
            // Only give back: take nothing away again.
            try reset.restore()
            return try reset.awaitInterface(named: record.name, pause: pause)
        case .unit(let unit): return try unit.awaitEnd(since: record.index.rawValue, pause: pause)
        }
    }

    private func awaitOperational(
        _ kernel: inout NetlinkSession, _ index: InterfaceIndex, until end: Int64
    ) throws(NotFinished) {
        while try !link(&kernel, index).isOperational, BootClock.now() < end {
            guard pause(Self.checkAgain) else { return }
        }
    }

    /// Waits while the address owner restores its own configuration. Returns what may have to be restored then.
    private func awaitOwner(
        _ kernel: inout NetlinkSession, _ index: InterfaceIndex, of snapshot: Snapshot, until settled: Int64
    ) throws(NotFinished) -> Snapshot {
        guard let timeout = snapshot.timeout, snapshot.hasSomethingAwaited, record.order.restores else {
            return snapshot
        }
        let end = min(settled, BootClock.now() + timeout.nanoseconds)
        var comparison = Restoration()
        while BootClock.now() < end {
            comparison = try restore(snapshot, &kernel, index, puttingBack: false)
            guard !snapshot.overdue(in: comparison).isEmpty, pause(Self.tryAgain) else { return snapshot }
        }
        return snapshot.taking(over: comparison)
    }

    private func restore(
        _ snapshot: Snapshot, _ kernel: inout NetlinkSession, _ index: InterfaceIndex, puttingBack: Bool
    ) throws(NotFinished) -> Restoration {
        do throws(Failure) {
            return try kernel.restore(snapshot, on: index, puttingBack: puttingBack)
        } catch {
            throw NotFinished(error)
        }
    }

    private func putBack(
        _ whole: Snapshot, _ kernel: inout NetlinkSession, _ index: InterfaceIndex, until end: Int64
    ) throws(NotFinished) -> Restoration {
        var snapshot = whole
        var all = Restoration()
        while true {
            let next = try restore(snapshot, &kernel, index, puttingBack: record.order.restores)
            all.add(next)
            let isLate = BootClock.now() + Self.tryAgain.nanoseconds > end
            guard !next.refused.isEmpty, !isLate, pause(Self.tryAgain) else { return all }
            snapshot = snapshot.rest(after: all)
        }
    }
}
