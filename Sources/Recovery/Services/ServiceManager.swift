import Glibc
import Model
import Platform

/// The program that starts the services of this machine.
public enum ServiceManager: String, Hashable, Sendable, CaseIterable {
    case systemd
    case openRC = "OpenRC"
    case procd, runit

    /// The service manager of this machine, recognised by its files below /run, as sd_booted(3) does, or by
    /// the name of process 1. If none is recognised, returns systemd, which may run outside of this
    /// namespace.
    public static func running(root: String = "") -> ServiceManager {
        let isThere = { (path: String) in access("\(root)\(path)", F_OK) == 0 }
        let first = SmallFile.line("\(root)/proc/1/comm")
        if isThere("/run/systemd/system") { return .systemd }
        if isThere("/run/openrc") { return .openRC }
        if first == "procd" { return .procd }
        return isThere("/run/runit") || first == "runit" || first == "runsvdir" ? .runit : .systemd
    }

    /// Whether only root may restart services. systemd asks polkit whether other users may.
    var isForRootAlone: Bool { self != .systemd }

    /// The names of the services that run an owner of an interface. A service for this interface alone comes
    /// first.
    func services(of owner: Owner, for interface: String) -> [String] {
        self == .systemd ? owner.units(for: interface) : owner.services(for: interface)
    }

    /// A command line of the service manager.
    struct Command: Equatable {
        /// The name of the program, without a directory.
        var program: String
        var arguments: [String]
        /// Whether the program is the service's own script.
        var isScript = false

        init(_ program: String, _ arguments: [String], isScript: Bool = false) {
            self.program = program
            self.arguments = arguments
            self.isScript = isScript
        }
    }

    /// The commands that report the states of services and change nothing, each with the services that it reports.
    func queries(of services: [String]) -> [(services: [String], command: Command)] {
        switch self {
        // Without a unit, systemctl reports the manager itself.
        case .systemd where services.isEmpty: []
        case .systemd:
            [(services, Command("systemctl", ["show", "--property=Id,ActiveState", "--"] + services))]
        case .openRC: services.map { ([$0], Command("rc-service", [$0, "status"])) }
        case .procd: services.map { ([$0], Command($0, ["status"], isScript: true)) }
        case .runit: services.map { ([$0], Command("sv", ["status", $0])) }
        }
    }

    /// The commands that restart a service. Only the result of the last one counts.
    /// - Parameter kind: what is wrong with the owner in this service; nil: nothing is known to be wrong. If
    ///   it hangs, SIGKILL comes first, because its process does not end on request. This has no effect with
    ///   OpenRC, which sends SIGKILL only if the service is configured so (`retry`, openrc-run(8)), and with
    ///   procd, which sends it after five seconds by itself.
    func restart(_ service: String, of kind: OwnerCondition.Kind?) -> [Command] {
        let kills = kind == .hung
        switch self {
        case .systemd:
            // A service has no terminal on which a user could enter a password.
            let noPassword = "--no-ask-password"
            let kill = Command("systemctl", [noPassword, "kill", "--signal=SIGKILL", "--", service])
            return (kills ? [kill] : []) + [Command("systemctl", [noPassword, "restart", "--", service])]
        case .openRC where kind == .dead:
            // A restart would stop the service first. This fails if start-stop-daemon finds no process, such
            // as that of dpkg. `zap` makes OpenRC forget that the service was started.
            return [Command("rc-service", [service, "zap"]), Command("rc-service", [service, "start"])]
        case .openRC: return [Command("rc-service", [service, "restart"])]
        case .procd: return [Command(service, ["restart"], isScript: true)]
        case .runit:
            // runit itself restarts a service that was killed. The second command waits for that.
            guard kills else { return [Command("sv", ["-w", Self.runitSeconds, "restart", service])] }
            return [
                Command("sv", ["kill", service]), Command("sv", ["-w", Self.runitSeconds, "start", service]),
            ]
        }
    }

    /// How long sv(8) waits for a service, in seconds: less than the time limit of the restart.
    private static let runitSeconds = "25"

    /// The states of services according to a query. Services that are neither active nor failed are missing.
    /// - Parameter answer: the output of the query; empty if its exit status is not 0.
    func states(of services: [String], from answer: [UInt8], status: Int32) -> [String: ServiceUnits.State] {
        let state: ServiceUnits.State?
        switch self {
        case .systemd: return ServiceUnits.states(from: answer, of: services)
        // 0 means started; 32 means crashed: the service was started, but does not run (openrc-run.sh).
        case .openRC: state = [0: .active, 32: .failed][status]
        // 5 means not running: the service has ended so often that procd does not restart it (procd.sh).
        case .procd: state = status == 5 ? .failed : answer.starts(with: "running".utf8) ? .active : nil
        case .runit:
            // After a semicolon, the line has the state of the service that writes the log of this one.
            let line = answer.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: ";") }
            // A service that a user has stopped does not have "want up".
            let wanted = ", want up".utf8
            let isMissed = line.starts(with: "down: ".utf8) && line.suffix(wanted.count).elementsEqual(wanted)
            state = line.starts(with: "run: ".utf8) ? .active : isMissed ? .failed : nil
        }
        return services.reduce(into: [:]) { $0[$1] = state }
    }
}
