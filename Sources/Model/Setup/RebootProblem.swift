/// What would keep the service from rebooting the machine as the last resort (``Method/reboot``).
public enum RebootProblem: Hashable, Sendable {
    /// systemd-logind cannot be asked, for this reason.
    case noLogind(String)
    /// The service is not root, and polkit(8), which would have to permit it, cannot be asked, for this reason.
    case noPolkit(String)
    /// polkit does not permit the service to reboot the machine.
    case notPermitted
    /// A program inhibits shutdown now.
    case inhibited
    /// The record of reboots is damaged.
    case recordDamaged(file: String)
    case recordUnreadable(file: String, error: String)
    /// A reboot may undo what is written into the state directory, and so the record of the reboot.
    case recordVolatile(directory: String)
    /// The machine was rebooted as often as allowed; the next reboot is allowed after this duration.
    /// `reboots`: how many there were in the last week.
    case limit(Duration, reboots: Int)
    /// On this machine the link was never healthy in this network; nil: in any network.
    case neverWorked(SSID?)
    /// The machine also has a default route over this interface.
    case uplink(String)
    /// The result of a method is never verified (`--settle 0`), so no method counts as failed.
    case notVerified
    /// The other methods may take longer (`methods`) than the time after which a reboot is due.
    case laterThan(Duration, methods: Duration)

    var severity: SetupFinding.Severity {
        switch self {
        case .noLogind, .noPolkit, .notPermitted, .inhibited, .recordDamaged, .recordUnreadable,
            .recordVolatile, .neverWorked, .notVerified:
            .warning
        // One reboot a day is normal for this method. If a week's reboots are used up, reboots do not help.
        case .limit(_, let reboots): reboots < RebootState.most ? .note : .warning
        case .uplink, .laterThan: .note
        }
    }
}
