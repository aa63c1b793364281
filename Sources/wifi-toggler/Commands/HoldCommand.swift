import Glibc
import Invocation
import Model
import Platform
import Reporting

/// The command `hold`: writes a hold for one interface or for all, or removes holds. Programs that may bounce
/// read the holds before each decision (`HoldStore`).
final class HoldCommand {
    private let request: Request
    private let console: Console
    private let duration: Duration
    private var netlink: LiveEnvironment?

    init(_ request: Request, _ console: Console) {
        self.request = request
        self.console = console
        duration = request.duration ?? .zero
    }

    /// Writes or removes the hold and ends the process.
    func start(_ configuration: ConfigurationFiles) {
        guard !request.interfaces.isEmpty else { return finish(nil) }
        let live = LiveEnvironment.open(console)
        netlink = live
        let settings: @MainActor @Sendable (Link) -> Settings = { [request] link in
            request.settings(for: link, file: configuration.file)
        }
        InterfaceResolver(netlink: live.netlink).one(request, settings) { [unowned self] result in
            switch result {
            case .success(let candidate): finish(candidate.link.name)
            case .failure(let problem): console.fail(problem.description, problem.status)
            }
        }
    }

    /// - Parameter interface: the name of the interface; nil for all interfaces.
    private func finish(_ interface: String?) {
        do throws(SystemError) {
            duration == .zero ? try release(interface) : try hold(interface)
        } catch {
            let reason = LockTaker.reason(error, request.runDirectory, request.runDirectory)
            console.fail("\(reason) (run as root, or give another with --run-dir)", .cannotWrite)
        }
        exit(ExitStatus.healthy.rawValue)
    }

    private func hold(_ interface: String?) throws(SystemError) {
        try HoldStore(request).hold(interface, for: duration)
        console.note(
            .notice, "\(Self.whom(interface)): no bounce for \(duration.text), unless a user asks for one",
            about: interface)
    }

    private func release(_ interface: String?) throws(SystemError) {
        let wasHeld = try HoldStore(request).release(interface)
        let result = wasHeld ? "released" : "nothing was held"
        console.note(.notice, "\(Self.whom(interface)): \(result)", about: interface)
        let general = HoldFile(interface: nil, directory: request.runDirectory)
        if interface != nil, general.read() != nil {
            console.note(.notice, "all interfaces are still held (run 'sudo wifi-toggler hold 0')")
        }
    }

    private static func whom(_ interface: String?) -> String { interface ?? "all interfaces" }
}
