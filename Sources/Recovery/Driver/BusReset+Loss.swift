import Glibc
import Model
import Platform

/// Finds out whether a device has lost its interface, although nobody unplugged it or removed its driver.
extension BusReset {
    /// What became of a device that has lost its interface. Nil if the device has an interface or a radio of
    /// nl80211 (wiphy), is unplugged or belongs to another driver, if its driver was removed, or if a reset
    /// would destroy something else, too.
    public var loss: LossOfInterface? {
        guard function.binder.isThere else { return nil }
        guard function.isPlugged else { return canRescan ? .removed : nil }
        guard let card, DeviceTree.foreigner(beneath: card, functions: functionsOfCard) == nil,
            !hasInterface(below: card)
        else { return nil }
        guard !function.isBound else {
            return SymbolicLink.lastPart(function.driverLink) == function.driver ? .bound : nil
        }
        // A user who gives a device to another driver, such as vfio-pci, may name that driver here.
        let chosen = SmallFile.line("\(function.deviceDirectory)/driver_override")
        return [nil, Self.noDriver, function.driver].contains(chosen) ? .unbound : nil
    }

    /// The last state of the interface, with what became of the device; nil: the device has not lost it.
    public func lost(_ lastState: KernelState) -> KernelState? {
        guard let loss else { return nil }
        var state = lastState
        state.radioCondition = .lostInterface(loss)
        return state
    }

    /// What the kernel writes into `driver_override` if no driver is named.
    private static let noDriver = "(null)"

    /// The bus and driver of the function.
    public var driverName: DriverName { DriverName(function.driver, on: function.bus) }

    /// Whether this process may write to the files of the reset.
    public var isPermitted: Bool { faccessat(AT_FDCWD, function.binder.path, W_OK, AT_EACCESS) == 0 }

    /// The same reset, marked as one of a device that has lost its interface. Such a device may be a PCI
    /// function that is gone from its bus.
    /// - Returns: nil if the device has not lost its interface.
    public var ofLoss: BusReset? {
        guard loss != nil else { return nil }
        var reset = self
        reset.isOfLoss = true
        return reset
    }

    private func hasInterface(below card: String) -> Bool {
        (["."] + SysfsClass.names(of: card)).contains { part in
            ["net", "ieee80211"].contains { !SysfsClass.names(of: "\(card)/\(part)/\($0)").isEmpty }
        }
    }
}
