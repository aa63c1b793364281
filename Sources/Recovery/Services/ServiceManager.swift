import Glibc
import Model
import Platform

/// What starts this machine's services.
public enum ServiceManager: String, Hashable, Sendable, CaseIterable {
    case systemd
    case openRC = "OpenRC"
    case procd, runit

    /// The one that runs this machine, by what it leaves below /run (sd_booted(3) does the same), or by the name of
    /// process 1. Where none is recognised, systemd is asked, which may run in other namespaces.
    /// - Parameter root: of the file system, without a slash at its end.
    public static func running(root: String = "") -> ServiceManager {
        let isThere = { (path: String) in access("\(root)\(path)", F_OK) == 0 }
        let first = SmallFile.line("\(root)/proc/1/comm")
        if isThere("/run/systemd/system") { return .systemd }
        if isThere("/run/openrc") { return .openRC }
        if first == "procd" { return .procd }
        return isThere("/run/runit") || first == "runit" || first == "runsvdir" ? .runit : .systemd
    }

    /// systemd asks polkit who else may restart a service.
    var isForRootAlone: Bool { self != .systemd }

    /// The services that run an owner of an interface, the one for this interface alone first.
    func services(of owner: Owner, for interface: String) -> [String] {
        self == .systemd ? owner.units(for: interface) : owner.services(for: interface)
    }

    /// A run of one of its programs.
    struct Command: Equatable {
        /// Its name, without a directory.
        var program: String
        var arguments: [String]
        /// It is the service's own script, not a program.
        var isScript = false

        init(_ program: String, _ arguments: [String], isScript: Bool = false) {
            self.program = program
            self.arguments = arguments
            self.isScript = isScript
        }
    }

    /// How it reports the state of a service, without a change.
    func query(_ service: String) -> Command {
        switch self {
        case .systemd:
            Command("systemctl", ["show", "--property=Id,ActiveState", "--", service])
        case .openRC: Command("rc-service", [service, "status"])
        case .procd: Command(service, ["status"], isScript: true)
        case .runit: Command("sv", ["status", service])
        }
    }

    /// How it restarts a service: only the result of the last command counts.
    /// - Parameter kills: SIGKILL goes first, because a process that hangs does not end when it is asked to. OpenRC
    ///   sends none unless the service says so (`retry`, openrc-run(8)); procd sends one after five seconds.
    func restart(_ service: String, kills: Bool) -> [Command] {
        switch self {
        case .systemd:
            // A service has no terminal for a password.
            let noPassword = "--no-ask-password"
            let kill = Command("systemctl", [noPassword, "kill", "--signal=SIGKILL", "--", service])
            return (kills ? [kill] : []) + [Command("systemctl", [noPassword, "restart", "--", service])]
        case .openRC: return [Command("rc-service", [service, "restart"])]
        case .procd: return [Command(service, ["restart"], isScript: true)]
        case .runit:
            // It starts by itself what was killed, and this waits for it.
            guard kills else { return [Command("sv", ["-w", Self.runitSeconds, "restart", service])] }
            return [
                Command("sv", ["kill", service]), Command("sv", ["-w", Self.runitSeconds, "start", service]),
            ]
        }
    }

    /// How long sv(8) waits for a service: less than the restart may take.
    private static let runitSeconds = "25"

    /// What a query has answered.
    /// - Parameter answer: empty if the exit status is not 0.
    func state(of service: String, from answer: [UInt8], status: Int32) -> ServiceUnits.State? {
        switch self {
        case .systemd: return ServiceUnits.states(from: answer, of: [service])[service]
        // Started; crashed, which is said of what was started and does not run (openrc-run.sh).
        case .openRC: return [0: .active, 32: .failed][status]
        // Not running: it has ended too often to be started once more (procd.sh).
        case .procd: return status == 5 ? .failed : answer.starts(with: "running".utf8) ? .active : nil
        case .runit:
            if answer.starts(with: "run: ".utf8) { return .active }
            // What a user has taken down is not wanted up.
            let line = CommandOutput.firstLine(of: answer) ?? ""
            return line.hasPrefix("down: ") && line.hasSuffix(", want up") ? .failed : nil
        }
    }
}
