import Glibc
import Model
import Platform

/// Finds out whether a device has lost its interface, although nobody unplugged it or removed its driver.
extension BusReset {
    /// What became of a device that has lost its interface. Nil if the device has an interface, or a radio of
    /// nl80211 (wiphy) in any network namespace; if it is unplugged or belongs to another driver; if its driver
    /// was removed; or if a reset would destroy something else, too.
    public var loss: LossOfInterface? {
        guard function.binder.isThere else { return nil }
        guard function.isPlugged else { return canRescan ? .removed : nil }
        guard let card, DeviceTree.foreigner(beneath: card, functions: functionsOfCard) == nil,
            !hasInterface(below: card)
        else { return nil }
        guard !function.isBound else {
            return function.isBound(to: function.driver) ? .bound : nil
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

    /// Whether a device that is gone can be looked for on its bus, because it was probably not unplugged: a
    /// PCI function whose bus is still there, or an SDIO card that cannot be unplugged.
    var canRescan: Bool {
        switch function.bus {
        case "pci": scansBus
        case "sdio": host?.hasLostCard == true
        default: false
        }
    }

    /// Whether this process may write to the files of the reset.
    public var isPermitted: Bool { faccessat(AT_FDCWD, function.binder.path, W_OK, AT_EACCESS) == 0 }

    /// The same reset, marked as one of a device that has lost its interface. Such a device may be gone from
    /// its bus.
    /// - Returns: nil if the device has not lost its interface.
    public var ofLoss: BusReset? {
        guard loss != nil else { return nil }
        var reset = self
        reset.isOfLoss = true
        return reset
    }

    private func hasInterface(below card: String) -> Bool {
        hasRadioElsewhere(below: card)
            || (["."] + SysfsClass.names(of: card)).contains { part in
                ["net", "ieee80211"].contains { !SysfsClass.names(of: "\(card)/\(part)/\($0)").isEmpty }
            }
    }

    /// Whether the radio of the device may be in another network namespace, such as that of a container. The
    /// kernel shows a radio and its interfaces only there, but the radio's rfkill switch everywhere
    /// (ieee80211_class in net/wireless/sysfs.c has namespaces, rfkill_class in net/rfkill/core.c has none).
    private func hasRadioElsewhere(below card: String) -> Bool {
        let place = Self.place(card)
        let switches = "\(function.sysfs)/class/rfkill"
        return SysfsClass.names(of: switches).contains { name in
            let shown = Self.place(SymbolicLink.target("\(switches)/\(name)") ?? "")
            return !place.isEmpty && shown.starts(with: place) && shown.contains("ieee80211")
        }
    }

    /// The names in the path of a device, from `devices` on, in which all paths of devices in sysfs are equal.
    private static func place(_ path: String) -> ArraySlice<Substring> {
        path.split(separator: "/").drop { $0 != "devices" }
    }
}

extension DriverBinding {
    /// For the host controller of an SDIO card: whether the card is gone, although it cannot be unplugged.
    ///
    /// The property `non-removable` in the device tree marks the host of a card that cannot be unplugged
    /// (mmc-controller-common.yaml in the kernel's documentation), such as the Wi-Fi card in a Raspberry Pi.
    /// After a crash of the firmware, the kernel removes the card and looks for it once
    /// (`mmc_sdio_hw_reset`). If the card does not answer then, it stays away until the driver of the host is
    /// bound again.
    fileprivate var hasLostCard: Bool {
        guard let host = SysfsFile.realPath(deviceDirectory), binder.isThere,
            access("\(host)/of_node/non-removable", F_OK) == 0
        else { return false }
        // The path of a card is HOST/mmc_host/mmc1/mmc1:0001.
        let hosts = "\(host)/mmc_host"
        return !SysfsClass.names(of: hosts).contains { name in
            SysfsClass.names(of: "\(hosts)/\(name)").contains { $0.hasPrefix("\(name):") }
        }
    }
}
