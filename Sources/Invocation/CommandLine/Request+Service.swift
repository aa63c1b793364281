import Model
import Toggling

/// Which part of a one-shot's command line a running service can carry out.
extension Request {
    /// How long to keep the link down, if the command line says so itself.
    public var ownDelay: Duration? { commandLine.duration(.delay) }

    /// Whether the command line itself names the method `reboot`, which is for `run` alone.
    public var namesReboot: Bool {
        var own = Settings()
        commandLine.apply(to: &own)
        return own.methods.contains(.reboot)
    }

    /// The options of the command line about probing, deciding and bouncing, as they were written. A service
    /// follows its own configuration there. Options that a service does take over are not included.
    public var optionsOfTheActor: [String] {
        OptionName.allCases.map(OptionTable.row).filter {
            commandLine.texts($0.name) != nil && isOfTheActor($0)
        }
        .map(\.flag)
    }

    private func isOfTheActor(_ row: OptionRow) -> Bool {
        switch row.name {
        case .commandUser, .record: true
        case .delay: command != .toggle
        // This process finds the interface itself, and asks no service for a dry run.
        case .anyInterface, .dryRun: false
        default: row.scope == .interface
        }
    }
}
