import Netlink
import Toggling

extension NetlinkMonitor.Notification {
    /// What this means to the toggler of one interface; nil: nothing.
    func event(for index: InterfaceIndex) -> Event? {
        switch self {
        case .linkChanged(let link): link.index == index ? .linkChanged(link) : nil
        case .linkRemoved(index): .linkRemoved
        case .addressChanged(index), .routeChanged(index), .wirelessConnected(index): .surroundingsChanged
        case .wirelessDisconnected(index, _, _), .deauthenticated(index): .disconnected
        case .scanFinished(index): .scanFinished
        case .overran: .monitorOverran
        case .linkRemoved, .addressChanged, .routeChanged, .wirelessConnected, .wirelessDisconnected,
            .deauthenticated, .scanFinished, .neighbourChanged, .deafened:
            nil
        }
    }

    /// The interface that this is about; nil: all of them.
    var index: InterfaceIndex? {
        switch self {
        case .linkChanged(let link): link.index
        case .linkRemoved(let index), .addressChanged(let index), .routeChanged(let index),
            .wirelessConnected(let index), .wirelessDisconnected(let index, _, _),
            .deauthenticated(let index), .scanFinished(let index),
            .neighbourChanged(let index, _, _):
            index
        case .overran, .deafened: nil
        }
    }
}
