import Glibc
import Invocation
import Model
import Reporting

/// Parses the command line and starts the command.
enum Program {
    static func request(from arguments: [String], _ console: Console) -> Request {
        do {
            switch try Invocation.parse(arguments) {
            case .help(let command): console.text(Help.text(for: command))
            case .version: console.text("\(Console.program) \(Help.version)")
            case .perform(let request): return request
            }
        } catch {
            console.fail(error.description, .usage)
        }
        console.end(.healthy)
    }

    static func configuration(for request: Request, _ console: Console) -> ConfigurationFiles {
        var source = ConfigurationFiles(request)
        // The trace contains the settings. The settings of this machine are not used.
        if request.command == .replay { return source }
        do {
            try source.read()
        } catch {
            // A link that was left down cannot wait until the file is corrected, least of all when
            // ExecStopPost= runs `repair`.
            guard request.command == .repair else { console.fail(error.description, .configuration) }
            console.say(Line(.warning, "\(error.description); repairing without the file"))
        }
        return source
    }

    /// Starts the command, which will end the process. The caller must keep the returned object alive until
    /// then.
    static func start(
        _ request: Request, _ configuration: ConfigurationFiles, _ console: Console,
        _ environment: [String: String]
    ) -> AnyObject? {
        switch request.command {
        case .run where request.checksOnly:
            if !request.checksQuietly {
                console.text(EffectiveConfiguration.text(of: request, configuration.file))
                // Whoever runs this command looks at the terminal, not at the log of the service.
                let console = console.directed(to: .stderr, .normal, stays: false)
                for warning in configuration.warnings(of: request) { console.note(.warning, warning) }
            }
            console.end(.healthy)
        case .run:
            let service = WatchService(request, configuration, console, environment)
            service.start()
            return service
        case .toggle: return oneShot(.toggle)
        case .reconnect: return oneShot(.reconnect)
        case .probe: return oneShot(.probe)
        case .list:
            let list = InterfaceList(request, console, drivers: configuration.drivers)
            list.start()
            return list
        case .repair:
            Permission.requireUnlessDry(console, request)
            RepairCommand(request, console, configuration.file).start()
        case .hold:
            let hold = HoldCommand(request, console)
            hold.start(configuration)
            return hold
        case .replay: ReplayCommand(request.trace ?? "", request, console).start()
        case .status where request.watches:
            let watch = StatusWatch(request, console, environment)
            watch.start()
            return watch
        case .status: StatusCommand(request, console).start()
        case .doctor:
            let doctor = DoctorCommand(request, configuration, console)
            doctor.start()
            return doctor
        case .history: HistoryCommand(request, console).start()
        }

        func oneShot(_ runMode: RunMode) -> OneShot {
            let shot = OneShot(runMode, request, configuration, console, environment)
            shot.start()
            return shot
        }
    }
}
