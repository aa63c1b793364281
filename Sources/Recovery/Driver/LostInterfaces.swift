import Model
import Platform

/// Remembers how the device of each station can be reset, so that it can still be reset when the station is gone.
@MainActor public final class LostInterfaces {
    private struct Station {
        /// The last state in which the link was up.
        var state: KernelState
        /// The reset of its device; nil: the device cannot be reset.
        let reset: BusReset?
    }

    private var stations: [InterfaceIndex: Station] = [:]
    private let sysfs: String

    public init(sysfs: String = DriverBinding.sysfs) { self.sysfs = sysfs }

    /// Notes the state that a check has read. The device is looked for once for each index.
    public func note(_ state: KernelState) {
        guard state.link.isUp, state.wireless?.role == .station else { return }
        let index = state.link.index
        if stations[index] == nil {
            // The interface may have come back with another index: drop its old entry.
            stations = stations.filter { $0.value.state.link.name != state.link.name }
            let reset = try? BusReset.of(state.link.name, sysfs: sysfs)
            stations[index] = Station(state: state, reset: reset)
        }
        stations[index]?.state = state
    }

    /// The last state of an interface that its device has lost, and the reset of the device; nil: the device
    /// has not lost the interface, or cannot or may not be reset.
    /// - Parameters:
    ///   - index: the last index of the interface.
    ///   - isPermitted: whether the device may be reset.
    public func loss(
        of index: InterfaceIndex, if isPermitted: (BusReset) -> Bool
    ) -> (state: KernelState, reset: BusReset)? {
        guard let station = stations[index], let reset = station.reset, let state = reset.lost(station.state),
            isPermitted(reset)
        else { return nil }
        return (state, reset)
    }
}
