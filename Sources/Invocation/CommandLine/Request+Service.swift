import Model

/// Which options of a one-shot's command line a running service can take over.
extension Request {
    /// How long to keep the link down, from the command line alone; nil: the command line does not set that.
    public var ownDelay: Duration? { commandLine.duration(.delay) }

    /// Whether the command line itself names the method `reboot`, which is for `run` alone.
    public var namesReboot: Bool { commandLine.methods?.namesReboot ?? false }

    /// The command line's options about probing, deciding and bouncing, as `--name`, except those that a
    /// service takes over. A service follows its own configuration instead of them.
    public var optionsServiceIgnores: [String] {
        OptionName.allCases.map(OptionTable.row).filter {
            commandLine.texts($0.name) != nil && serviceIgnores($0)
        }
        .map(\.flag)
    }

    private func serviceIgnores(_ row: OptionRow) -> Bool {
        switch row.name {
        case .commandUser, .record: true
        case .delay: command != .toggle
        // This process itself finds the interface, and a dry run is never delegated to a service.
        case .anyInterface, .dryRun: false
        default: row.scope == .interface
        }
    }
}
