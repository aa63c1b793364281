import Model
import Platform

/// Checks a reset that a service without root's rights asks root for, because the device has lost its interface. The
/// service only names the device: what it says is compared with what the kernel says.
extension BusReset {
    /// The module on which all drivers of Wi-Fi devices depend.
    private static let base = "cfg80211"

    /// This reset, if its device is a Wi-Fi device that has lost its interface.
    /// - Parameter drivers: the rules about drivers, any of which may forbid the reset.
    /// - Throws: `unavailable` if a rule forbids the reset, if it is not such a device, or if that cannot be
    ///   found out.
    public func verified(by drivers: DriverTable) throws(Failure) -> BusReset {
        let name = driverName
        if let rule = drivers.objection(to: .reset, with: name) { throw .forbidden(by: rule, for: name) }
        guard function.dependsOn(Self.base) else { throw .notOfWiFi(name) }
        guard let loss else { throw .notLost(function.device, by: name) }
        // A function that is gone cannot be examined. If its driver drives no other device, the driver was
        // probably loaded for this function.
        if loss == .removed, function.drivesAnything { throw .otherDevice(than: function.device, of: name) }
        var reset = self
        if function.bus == "sdio" { reset = loss == .removed ? try hostAlone() : try wholeCard() }
        (reset.isOfLoss, reset.isNamedByUntrusted) = (true, true)
        return reset
    }

    /// The functions of an SDIO card that the service names, except those with another driver. Which ones it
    /// names is not checked, because only the driver of this function is bound to them.
    private var namedFunctions: [DriverBinding] {
        bindings.filter { $0.bus == function.bus && $0.driver == function.driver }
    }

    /// The reset of an SDIO card that is gone, by the host that the service names, because the kernel
    /// names no host of a missing card. The host has lost a card that cannot be unplugged (`loss`). If
    /// somebody has unbound the host's driver, the reset is refused.
    private func hostAlone() throws(Failure) -> BusReset {
        guard let host, host.isBound(to: host.driver), let reset = BusReset(namedFunctions + [host]) else {
            throw .notLost(function.device, by: driverName)
        }
        return reset
    }

    /// The reset of an SDIO card, with the host that the kernel names.
    private func wholeCard() throws(Failure) -> BusReset {
        guard let card, var reset = BusReset([function]) else {
            throw .notLost(function.device, by: driverName)
        }
        do throws(Problem) { try reset.add(card, released: Set(namedFunctions.map(\.device))) } catch {
            throw Failure(error)
        }
        return reset
    }
}

extension DriverBinding {
    /// Whether the module of the driver depends on another module, directly or not (/sys/module/NAME/holders).
    fileprivate func dependsOn(_ base: String) -> Bool {
        let link = "\(sysfs)/bus/\(bus)/drivers/\(driver)/module"
        guard let module = Self.component(link, below: "module") else { return false }
        var (known, open): (Set<String>, [String]) = ([], [base])
        while let next = open.popLast() {
            for holder in SysfsClass.names(of: "\(sysfs)/module/\(next)/holders")
            where known.insert(holder).inserted {
                if holder == module { return true }
                open.append(holder)
            }
        }
        return false
    }

    /// Whether the driver is bound to any device.
    fileprivate var drivesAnything: Bool {
        let devices = "\(sysfs)/bus/\(bus)/devices"
        return SysfsClass.names(of: devices).contains {
            SymbolicLink.lastPart("\(devices)/\($0)/driver") == driver
        }
    }
}

extension Failure {
    static func notOfWiFi(_ name: DriverName) -> Failure {
        Failure(
            kind: .unavailable,
            description: "the driver \(name.driver) on \(name.bus) is not a module that depends on cfg80211")
    }

    static func notLost(_ device: String, by name: DriverName) -> Failure {
        Failure(
            kind: .unavailable,
            description:
                "the device \(device) of the driver \(name.driver) on \(name.bus) has not lost an interface"
        )
    }

    static func otherDevice(than device: String, of name: DriverName) -> Failure {
        Failure(
            kind: .unavailable,
            description:
                "the function \(device) is gone, and its driver \(name.driver) on \(name.bus) has another device"
        )
    }
}
