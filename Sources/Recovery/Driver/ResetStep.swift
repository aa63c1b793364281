import Glibc
import Platform

/// One step of a reset: the writes that take a device away, and the writes that give it back.
struct ResetStep: Equatable, Sendable {
    var away: [ResetWrite]
    var back: [ResetWrite]

    /// Whether any write that takes the device away is due.
    var isPossible: Bool { away.contains(where: \.isDue) }

    /// The steps for a device, the gentler one first.
    /// - Parameter bindings: the function that has the interface; for an SDIO card, followed by the card's
    ///   other functions and the host.
    /// - Returns: the steps; nil if the device cannot be reset.
    static func all(for bindings: [DriverBinding]) -> [ResetStep]? {
        guard let function = bindings.first else { return nil }
        switch function.bus {
        case "usb" where bindings.count == 1: return BusAddress.USB(function.device).map { usb($0, function) }
        case "pci" where bindings.count == 1:
            return BusAddress.pciBus(function.device).map { pci($0, function) }
        case "sdio": return sdio(bindings)
        default: return nil
        }
    }

    // MARK: Buses

    /// For USB, the first step removes the device's configuration and sets it again (`authorized`,
    /// usb/authorization.rst in the kernel's documentation). The second step makes the hub turn off the
    /// device's port (`disable`, Linux 6.0), but only if the kernel authorizes devices that appear. The
    /// connector of a USB 3 device also has a port of USB 2 (`peer`), which would keep its power on: the
    /// device would come back there, with another name. So its port is not turned off.
    private static func usb(_ address: BusAddress.USB, _ function: DriverBinding) -> [ResetStep] {
        let (devices, sysfs) = ("bus/usb/devices", function.sysfs)
        let authorized = SysfsFile("\(devices)/\(address.device)/authorized", in: sysfs)
        let disable = SysfsFile("\(devices)/\(address.port)/disable", in: sysfs)
        let usual = ResetWrite.Condition.reads(
            "\(sysfs)/\(devices)/\(address.rootHub)/authorized_default", "1")
        let speed = SmallFile.line("\(sysfs)/\(devices)/\(address.rootHub)/speed").flatMap { Int($0) } ?? 0
        let isOnPair =
            speed >= superSpeed && access("\(sysfs)/\(devices)/\(address.port)/peer", F_OK) == 0
        return [
            ResetStep(
                away: [ResetWrite(authorized, "0", if: .reads(authorized.path, "1"))],
                back: [ResetWrite(authorized, "1", if: .reads(authorized.path, "0"))]),
            ResetStep(
                away: isOnPair ? [] : [ResetWrite(disable, "1", if: .reads(disable.path, "0"), usual)],
                back: [ResetWrite(disable, "0", if: .reads(disable.path, "1"))]),
        ]
    }

    /// The least speed of USB 3, in Mbit/s.
    private static let superSpeed = 5000

    /// For PCI, the first step unbinds the driver before it resets the function, because a driver that stays
    /// bound and does not expect the reset would lose its state. A function without a file `reset` is removed
    /// instead. The second step removes the function, and scans its bus again.
    private static func pci(_ bus: String, _ function: DriverBinding) -> [ResetStep] {
        let (directory, sysfs) = ("bus/pci/devices/\(function.device)", function.sysfs)
        let reset = SysfsFile("\(directory)/reset", in: sysfs)
        let remove = SysfsFile("\(directory)/remove", in: sysfs)
        let rescan = SysfsFile("class/pci_bus/\(bus)/rescan", in: sysfs)
        var first = rebinding([function])
        first.away += [
            ResetWrite(reset, "1", if: .isThere(reset.path)),
            ResetWrite(remove, "1", if: .isAbsent(reset.path), .isThere(remove.path)),
        ]
        return [
            first,
            ResetStep(
                away: [ResetWrite(remove, "1", if: .isThere(remove.path))],
                back: [ResetWrite(rescan, "1", if: .isAbsent("\(sysfs)/\(directory)"))]),
        ]
    }

    /// The buses on which host controllers for cards are.
    static let hostBuses = ["amba", "pci", "platform"]

    /// For SDIO, the first step unbinds the drivers of all functions of the card. The second step unbinds the
    /// driver of the host, which removes the card.
    private static func sdio(_ bindings: [DriverBinding]) -> [ResetStep]? {
        let functions = bindings.filter { $0.bus == "sdio" }
        let hosts = bindings.dropFirst(functions.count)
        let cards = functions.map { BusAddress.sdioCard($0.device) }
        guard let card = cards[0], cards.allSatisfy({ $0 == card }), hosts.count <= 1,
            hosts.allSatisfy({ hostBuses.contains($0.bus) }),
            Set(functions.map(\.device)).count == functions.count
        else { return nil }
        return [rebinding(functions.sorted { $0.device < $1.device }), rebinding(Array(hosts))]
    }

    private static func rebinding(_ bindings: [DriverBinding]) -> ResetStep {
        ResetStep(
            away: bindings.reversed().map { ResetWrite($0.unbinder, $0.device, if: .isThere($0.driverLink)) },
            back: bindings.map {
                ResetWrite($0.binder, $0.device, if: .isThere($0.deviceDirectory), .isAbsent($0.driverLink))
            })
    }
}

/// A write to a file of sysfs, with the conditions under which it is due.
struct ResetWrite: Equatable, Sendable {
    enum Condition: Equatable, Sendable {
        case reads(String, String)
        case isThere(String)
        case isAbsent(String)

        fileprivate var holds: Bool {
            switch self {
            case .reads(let path, let text): SmallFile.line(path) == text
            case .isThere(let path): access(path, F_OK) == 0
            case .isAbsent(let path): access(path, F_OK) != 0
            }
        }
    }

    var file: SysfsFile
    let text: String
    private let conditions: [Condition]

    init(_ file: SysfsFile, _ text: String, if conditions: Condition...) {
        self.file = file
        self.text = text
        self.conditions = conditions
    }

    var isDue: Bool { conditions.allSatisfy(\.holds) }

    /// Writes the text. Blocks until the kernel has finished. If another process, such as the guard, has
    /// written it already, that is no error.
    func perform() throws(DriverBinding.Problem) {
        do throws(SystemError) { try file.write(text) } catch {
            if isDue { throw .refused(error, path: file.path) }
        }
    }
}
