import Model
import Netlink
import Reporting
import Service

/// Tracks the directed scans that this process has started.
final class ScanTracker {
    private let netlink: NetlinkCommands
    /// The completions of the scans, by the index of the interface.
    private var waiting: [InterfaceIndex: Environment.Done<Void>] = [:]

    init(_ netlink: NetlinkCommands) { self.netlink = netlink }

    /// Starts a directed scan, and calls `done` when its results are available. If the scan ends in another
    /// way, for example because the link was set down, `done` is called only after the next scan, when the
    /// caller no longer needs the result.
    func directedScan(
        to accessPoint: AccessPoint, on index: InterfaceIndex, _ done: @escaping Environment.Done<Void>
    ) {
        answer(index, .failure(.overtaken))
        waiting[index] = done
        netlink.directedScan(to: accessPoint, on: index) { [self] result in
            if case .failure(let failure) = result { answer(index, .failure(failure)) }
        }
    }

    /// Handles a notification of the `NetlinkMonitor`.
    func heard(_ notification: NetlinkMonitor.Notification) {
        if case .scanFinished(let index) = notification { answer(index, .success(())) }
    }

    private func answer(_ index: InterfaceIndex, _ result: Result<Void, Failure>) {
        waiting.removeValue(forKey: index)?(result)
    }
}

extension Failure {
    fileprivate static let overtaken = Failure(kind: .lost, description: "another scan was asked for")
}
