import Glibc
import Model
import Platform

/// The systemd unit that resets a device on its bus, for a service that may not write to /sys. The unit runs
/// this program as root, with a guard and an intent record of its own
/// (contrib/systemd/wifi-toggler-reset@.service).
public struct ResetUnit: Equatable, Sendable {
    /// The directory of the unit's locks and records.
    public static let runDirectory = "/run/wifi-toggler-reset"
    /// The directory of the records of a service that starts the unit. The unit reads there whether the
    /// service has set the link down, or, if the interface does not exist, which device has lost it.
    public static let serviceDirectory = "/run/wifi-toggler"
    private static let template = "wifi-toggler-reset@"
    private static let type = ".service"

    public let interface: String
    /// The reset that the unit carries out. This process only reads from sysfs how far the reset has got.
    public let reset: BusReset
    private let runDirectory: String

    /// - Returns: nil if the interface cannot have this name.
    public init?(_ interface: String, _ reset: BusReset, runDirectory: String = Self.runDirectory) {
        guard SysfsClass.isComponent(interface) else { return nil }
        self.interface = interface
        self.reset = reset
        self.runDirectory = runDirectory
    }

    // MARK: The unit

    /// The name of the instance for this interface.
    var name: String { "\(Self.template)\(SystemdUnit.escaped(interface))\(Self.type)" }

    /// Whether systemd runs and has the unit, and the interface is Wi-Fi: the unit refuses other interfaces.
    /// Only systemd can tell whether this process may start the unit.
    /// - Parameter root: the root of the file system, without a slash at its end.
    static func isInstalled(for interface: String, root: String = "") -> Bool {
        access("\(root)/sys/class/net/\(interface)/phy80211", F_OK) == 0 && isInstalled(root: root)
    }

    /// Whether systemd runs and has the unit, and the unit is not masked.
    static func isInstalled(root: String = "") -> Bool {
        guard access("\(root)/run/systemd/system", F_OK) == 0 else { return false }
        let files = SystemdUnit.directories.map { "\(root)\($0)/\(template)\(type)" }
        // A unit is masked by a link to /dev/null.
        return files.first(where: isThere).map { SmallFile.line($0)?.isEmpty == false } ?? false
    }

    private static func isThere(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }

    // MARK: The work of the unit

    /// How long systemd may take to begin to run the unit after the request to start it.
    public static let beginning: Duration = .seconds(5)
    /// How long the unit may take, from its beginning, until the interface is back and the unit has set it
    /// up.
    public static let timeout: Duration = BusReset.timeout + .seconds(15)
    /// How long the interface may still be missing after the unit has ended. The unit itself waits for the
    /// interface, too.
    private static let returning: Duration = .seconds(10)
    private static let checkAgain: Duration = .milliseconds(100)

    /// Whether the unit is working on the device. As long as it is, its intent record exists.
    public var isAtWork: Bool {
        IntentFile.isThere(for: interface, in: TrustedDirectory(runDirectory))
    }

    /// Whether the unit has begun: the device is away, or was away since the interface had this index.
    /// - Parameter index: the index of the interface before the reset.
    func hasBegun(since index: Int32) -> Bool {
        // The interface was missing before the reset, so its absence does not show that the unit has begun.
        if reset.isOfLoss { return isAtWork || !reset.interfaces.isEmpty }
        return reset.isAway || !reset.interfaces.contains { $0.index == index }
    }

    /// Waits until the unit has given the device back. Blocks.
    /// - Parameters:
    ///   - index: the index of the interface before the reset.
    ///   - timeout: the time limit for the unit.
    ///   - beginning: how long the unit may take to begin.
    ///   - pause: waits for a duration, and returns false to stop waiting.
    /// - Throws: the interface is not back in time.
    public func awaitEnd(
        since index: Int32, within timeout: Duration = Self.timeout, beginning: Duration = Self.beginning,
        pause: (Duration) -> Bool = DriverBinding.sleep
    ) throws(BusReset.Problem) -> DriverBinding.Interface {
        let start = ContinuousClock.now
        var mayBegin: Bool { !hasBegun(since: index) && ContinuousClock.now < start + beginning }
        while isAtWork || mayBegin, ContinuousClock.now < start + timeout {
            guard pause(Self.checkAgain) else { break }
        }
        return try reset.awaitInterface(named: interface, within: Self.returning, pause: pause)
    }
}
