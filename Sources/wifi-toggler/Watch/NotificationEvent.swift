import Model
import Netlink
import Toggling

extension NetlinkMonitor.Notification {
    /// The events that a notification means for the toggler of one interface, in order.
    func events(for index: InterfaceIndex) -> [Event] {
        let isAttempt =
            switch self {
            case .wirelessConnected(index), .joinAttempted(index): true
            default: false
            }
        return (isAttempt ? [.joinAttempted] : []) + (event(for: index).map { [$0] } ?? [])
    }

    private func event(for index: InterfaceIndex) -> Event? {
        switch self {
        case .linkChanged(let link): link.index == index ? .linkChanged(link) : nil
        case .linkRemoved(index): .linkRemoved
        case .addressChanged(index), .routeChanged(index), .wirelessConnected(index): .addressingChanged
        case .addressRemoved(index), .routeRemoved(index): .addressingLost
        case .wirelessDisconnected(index, let end): .disconnected(end)
        case .deauthenticated(index, _): .disconnected(nil)
        case .scanBegun(index, let scan): .scanBegun(scan)
        case .scanFinished(index): .scanFinished
        case .nextHopGroupChanged: .addressingChanged
        case .nextHopGroupRemoved: .addressingLost
        case .overran: .monitorOverran
        case .linkClosed, .linkRemoved, .addressChanged, .addressRemoved, .routeChanged, .routeRemoved,
            .wirelessConnected,
            .wirelessDisconnected, .deauthenticated, .joinAttempted, .scanBegun, .scanFinished,
            .neighbourChanged,
            .wirelessAppeared, .monitorFailed:
            nil
        }
    }

    /// The interface of the notification; nil if it concerns no single interface.
    var index: InterfaceIndex? {
        switch self {
        case .linkChanged(let link): link.index
        case .linkClosed(let index), .linkRemoved(let index), .addressChanged(let index),
            .addressRemoved(let index),
            .routeChanged(let index), .routeRemoved(let index), .wirelessConnected(let index),
            .wirelessDisconnected(let index, _),
            .deauthenticated(let index, _), .joinAttempted(let index), .scanBegun(let index, _),
            .scanFinished(let index),
            .neighbourChanged(let index, _, _):
            index
        case .nextHopGroupChanged, .nextHopGroupRemoved, .wirelessAppeared, .overran, .monitorFailed: nil
        }
    }
}
