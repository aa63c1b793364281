import Glibc
import Netlink
import Platform
import Toggling

/// Finishes a bounce that its own process does not finish: raises the link, waits for it to be operational,
/// and puts back what it lost. Blocks until that is done.
struct RescueWork {
    /// Between two looks at a link that is to become operational.
    private static let lookAgain: Duration = .milliseconds(50)
    /// Between two attempts to put back what the kernel refused.
    private static let tryAgain: Duration = .milliseconds(500)
    /// Between attempts to raise: doubled from the first to the longest.
    private static let firstRetry: Duration = .milliseconds(250)
    private static let longestRetry: Duration = .seconds(5)

    let record: IntentRecord
    /// How long a raise that the kernel refuses is tried again.
    let patience: Duration
    /// Waits; false: nobody wants this work any more.
    let pause: (Duration) -> Bool

    /// Waits in any case.
    static func sleep(_ span: Duration) -> Bool {
        usleep(UInt32(clamping: span.nanoseconds / 1000))
        return true
    }

    private enum Obstacle: Error {
        case gone, leftDown
        case failed(Failure)

        init(_ failure: Failure) { self = failure.kind == .noSuchDevice ? .gone : .failed(failure) }
    }

    /// - Parameter stage: how far the bounce had come: only a link that was held down is raised.
    func run(_ kernel: inout NetlinkSession, from stage: IntentFile.Stage) -> Rescue {
        do throws(Obstacle) {
            let wasDown = try raise(&kernel, from: stage)
            let end = BootClock.now() + record.order.settle.nanoseconds
            try awaitOperational(&kernel, until: end)
            return .finished(wasDown: wasDown, try putBack(&kernel, until: end))
        } catch {
            switch error {
            case .gone: return .gone
            case .leftDown: return .leftDown
            case .failed(let failure): return .notRaised(failure)
            }
        }
    }

    /// The interface, if it is still the one that the record means.
    private func link(_ kernel: inout NetlinkSession) throws(Obstacle) -> Link {
        let link: Link
        do throws(Failure) { link = try kernel.link(record.index) } catch { throw Obstacle(error) }
        guard link.identity == record.order.macAddress else { throw .gone }
        return link
    }

    /// Whether it was down.
    private func raise(
        _ kernel: inout NetlinkSession, from stage: IntentFile.Stage
    ) throws(Obstacle) -> Bool {
        guard try !link(&kernel).isUp else { return false }
        guard stage == .held else { throw .leftDown }
        let end = BootClock.now() + patience.nanoseconds
        var wait = Self.firstRetry
        while true {
            do throws(Failure) {
                try kernel.setAdministrativeState(up: true, of: record.index)
                return true
            } catch {
                let isOver = BootClock.now() + wait.nanoseconds > end
                guard error.kind != .noSuchDevice, !isOver, pause(wait) else { throw Obstacle(error) }
            }
            wait = min(wait * 2, Self.longestRetry)
        }
    }

    private func awaitOperational(_ kernel: inout NetlinkSession, until end: Int64) throws(Obstacle) {
        while try !link(&kernel).isOperational, BootClock.now() < end {
            guard pause(Self.lookAgain) else { return }
        }
    }

    private func putBack(_ kernel: inout NetlinkSession, until end: Int64) throws(Obstacle) -> Restoration {
        var snapshot = record.order.snapshot
        var all = Restoration()
        while true {
            let next: Restoration
            do throws(Failure) {
                next = try kernel.restore(snapshot, on: record.index, puttingBack: record.order.restores)
            } catch {
                throw Obstacle(error)
            }
            all.add(next)
            let isLate = BootClock.now() + Self.tryAgain.nanoseconds > end
            guard !next.refused.isEmpty, !isLate, pause(Self.tryAgain) else { return all }
            snapshot = snapshot.rest(after: all)
        }
    }
}
