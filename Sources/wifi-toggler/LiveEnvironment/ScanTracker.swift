import Model
import Netlink
import Reporting
import Service
import Toggling

/// The scans that this process has begun.
final class ScanTracker {
    private let netlink: NetlinkCommands
    /// Who waits for the end of a scan, by its interface.
    private var waiting: [InterfaceIndex: Environment.Done<Void>] = [:]

    init(_ netlink: NetlinkCommands) { self.netlink = netlink }

    /// Has an access point heard once more; answers when that scan has come to its end. What ends it
    /// otherwise, such as a link that is lowered, is not waited for: its answer comes with the next scan, and
    /// means nothing any more.
    func directedScan(
        to accessPoint: AccessPoint, on index: InterfaceIndex, _ done: @escaping Environment.Done<Void>
    ) {
        answer(index, .failure(.overtaken))
        waiting[index] = done
        netlink.directedScan(to: accessPoint, on: index) { [self] result in
            if case .failure(let failure) = result { answer(index, .failure(failure)) }
        }
    }

    /// What a `NetlinkMonitor` has heard.
    func heard(_ notification: NetlinkMonitor.Notification) {
        if case .scanFinished(let index) = notification { answer(index, .success(())) }
    }

    private func answer(_ index: InterfaceIndex, _ result: Result<Void, Failure>) {
        waiting.removeValue(forKey: index)?(result)
    }
}

extension Failure {
    fileprivate static let overtaken = Failure(kind: .lost, words: "another scan was asked for")
}
