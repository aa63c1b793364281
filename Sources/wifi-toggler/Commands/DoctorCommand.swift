import Doctor
import Glibc
import Invocation
import Model
import Platform
import Recovery
import Reporting

/// The command `doctor`: finds problems in the set-up of this machine's links. Changes nothing and sends
/// nothing to the network.
final class DoctorCommand {
    /// How long the queries of all owners may take together. An owner counts as hung after five seconds; then
    /// the bus may take five seconds to answer (`OwnerConditionQuery`).
    private static let ownersTimeout: Duration = .seconds(10)

    private let request: Request
    private let configuration: ConfigurationFiles
    private let console: Console
    private let live: LiveEnvironment
    private let inspector = MachineInspector()
    private lazy var service = inspector.service(
        socket: ControlInterface.socket, runDirectory: request.runDirectory)
    private var interfaces: [InterfaceFacts] = []
    /// The interfaces that have a default route; nil: not known.
    private var defaultRoutes: [String]?
    private var ownersDeadline: TimerSource?
    /// What logind and polkit answer; nil: the answer is not needed, or not known yet.
    private var rebootAnswer: RebootAccess?
    private var resolverCondition: OwnerCondition?

    init(_ request: Request, _ configuration: ConfigurationFiles, _ console: Console) {
        self.request = request
        self.configuration = configuration
        self.console = console
        live = LiveEnvironment.open(console)
    }

    /// Prints the findings and ends the process.
    func start() {
        let search = InterfaceResolver(netlink: live.netlink)
        guard request.interfaces.isEmpty else {
            return search.one(request, settings) { [unowned self] result in
                begin(result.map { [$0] })
            }
        }
        search.all { [unowned self] result in begin(result.map { $0.filter(\.isStation) }) }
    }

    private func begin(_ result: Result<[Candidate], CommandError>) {
        switch result {
        case .failure(let problem): console.fail(problem.description, problem.status)
        case .success(let candidates):
            if candidates.isEmpty { console.note(.notice, "no Wi-Fi interface found") }
            let links = candidates.map(\.link).sorted { $0.name < $1.name }
            live.netlink.interfacesWithDefaultRoute { [unowned self] in
                defaultRoutes = try? $0.get()
                examine(links[...])
            }
        }
    }

    private func settings(for link: Link) -> Settings {
        request.settings(for: link, file: configuration.file)
    }

    /// Examines one interface after the other. Skips an interface that has disappeared.
    private func examine(_ rest: ArraySlice<Link>) {
        guard let link = rest.first else { return askOwners() }
        live.kernelState.read(link.index, with: KernelState.Details(powerSave: true)) {
            [unowned self] result in
            guard case .success(let kernelState) = result else { return examine(rest.dropFirst()) }
            var facts = inspector.facts(of: kernelState, defaultRoutesOver: defaultRoutes)
            facts.driverRule = facts.driver.flatMap(configuration.drivers.rule)
            facts.keepsPowerSaveOff =
                configuration.drivers.reason(for: settings(for: link).powerSave, with: facts.driver) != nil
            facts.forbiddenMethods = forbiddenMethods(link)
            facts.forbiddenReset = forbiddenReset(link, facts.driver)
            facts.sendsEchoes = settings(for: link).sendsEchoes
            facts.announces = settings(for: link).announces
            facts.mayRestartOwner = mayRestartOwner(link, facts.driver)
            facts.reboot = RebootInspector(directory: request.stateDirectory).facts(
                of: link, settings(for: link), defaultRoutesOver: defaultRoutes ?? [])
            facts.roundTrips = roundTrips(of: link)
            facts.configConflicts = facts.ownership.configConflicts(under: settings(for: link))
            findGatewayPath(kernelState) { [unowned self] in
                facts.gatewayPath = $0
                let index = kernelState.link.port?.upper?.index ?? link.index
                live.netlink.lastAdvertisement(on: index) { [unowned self] result in
                    facts.lastAdvertisement = (try? result.get()) ?? nil
                    interfaces.append(facts)
                    examine(rest.dropFirst())
                }
            }
        }
    }

    /// The round trips to the gateway from the history of the service; nil: there is no readable history, or
    /// the probes also ask targets beyond the gateway.
    private func roundTrips(of link: Link) -> GatewayRoundTrips? {
        guard !settings(for: link).asksTargets, let boot = BootID.boot else { return nil }
        let file = HistoryWriter.file(of: link.name, in: TrustedDirectory(request.stateDirectory))
        return (try? file.read()).flatMap {
            RecentSamples($0, at: HistoryWriter.instant(boot: boot)).gatewayRoundTrips
        }
    }

    /// The methods that the running service may not carry out, whatever this process may do.
    private func forbiddenMethods(_ link: Link) -> [ForbiddenMethods] {
        service.map {
            MethodAccess(of: $0).forbidden(of: settings(for: link).namedMethods, on: link.name)
        } ?? []
    }

    /// Why the running service may not reset the device of a radio that refuses all scans; nil: it may, it
    /// never would, the device cannot be reset, no service runs, or the settings name `reset`
    /// (``forbiddenMethods(_:)`` then has the reason).
    private func forbiddenReset(_ link: Link, _ driver: DriverName?) -> ForbiddenMethods? {
        let settings = settings(for: link)
        guard let service, settings.methods.isEmpty, !settings.methodsBesideAuto.contains(.reset),
            driver.flatMap({ configuration.drivers.objection(to: .reset, with: $0) }) == nil,
            (try? BusReset.of(link.name)) != nil
        else { return nil }
        return MethodAccess(of: service).forbidden(of: [.reset], on: link.name).first
    }

    /// Whether the service would restart an owner that is dead or hung.
    private func mayRestartOwner(_ link: Link, _ driver: DriverName?) -> Bool {
        let methods = settings(for: link).methods
        return (methods.isEmpty || methods.contains(.restartOwner))
            && driver.flatMap { configuration.drivers.objection(to: .restartOwner, with: $0) } == nil
    }

    /// Finds the source address that the kernel uses toward the first IPv4 gateway. It depends on the order
    /// of the interface's addresses.
    private func findGatewayPath(
        _ kernelState: KernelState, _ done: @escaping (InterfaceFacts.GatewayPath?) -> Void
    ) {
        let gateway = kernelState.gateways.map(\.address).first { !$0.isIPv6 }
        guard let gateway, kernelState.link.isUp else { return done(nil) }
        live.netlink.source(toward: gateway, over: kernelState.link.index) { result in
            let source = (try? result.get()) ?? nil
            done(source.map { InterfaceFacts.GatewayPath(to: gateway, from: $0) })
        }
    }

    /// Queries the owners of all interfaces, systemd-resolved and logind at the same time, because it may
    /// take seconds to find out that one of them hangs.
    private func askOwners() {
        ownersDeadline = TimerSource { [unowned self] in conclude() }
        ownersDeadline?.schedule(after: Self.ownersTimeout)
        let done = { [unowned self] in
            guard ownersDeadline != nil else { return }
            conclude()
        }
        // One query for each interface, and one for systemd-resolved.
        var unanswered = interfaces.count + 1
        guard !interfaces.isEmpty else { return done() }
        live.kernelState.resolverCondition { [unowned self] condition in
            resolverCondition = condition
            unanswered -= 1
            if unanswered == 0 { done() }
        }
        if interfaces.contains(where: { $0.reboot != nil }) {
            unanswered += 1
            RebootQuery().ask(service: service) { [unowned self] answer in
                rebootAnswer = answer
                unanswered -= 1
                if unanswered == 0 { done() }
            }
        }
        for number in interfaces.indices where interfaces[number].mayRestartOwner {
            unanswered += 1
            RestartQuery().ask(service: service, interfaces[number].name, interfaces[number].ownership) {
                [unowned self] access in
                interfaces[number].restartAccess = access
                unanswered -= 1
                if unanswered == 0 { done() }
            }
        }
        for number in interfaces.indices {
            var ownership = interfaces[number].ownership
            // As before a bounce: only an interface that lacks an address needs a program that assigns one.
            ownership.network.isNeeded = interfaces[number].kernelState.fault?.layer == .address
            OwnerConditionQuery().ask(interfaces[number].name, ownership, looksAhead: true) {
                [unowned self] condition in
                interfaces[number].ownerCondition = condition
                unanswered -= 1
                if unanswered == 0 { done() }
            }
        }
    }

    private func conclude() {
        ownersDeadline = nil
        live.netlink.country { [unowned self] result in
            var machine = inspector.machine(
                stateDirectory: request.stateDirectory, runDirectory: request.runDirectory,
                service: service)
            machine.country = (try? result.get()) ?? nil
            machine.resolverCondition = resolverCondition
            if let rebootAnswer {
                for number in interfaces.indices { interfaces[number].reboot?.access = rebootAnswer }
            }
            show(Diagnosis.findings(machine, interfaces))
        }
    }

    private func show(_ findings: [SetupFinding]) {
        for finding in findings {
            if request.output.isJSON {
                console.result(finding.json)
            } else if request.output.verbosity != .quiet || finding.severity == .error {
                for line in finding.lines { console.result(line) }
            }
        }
        if findings.isEmpty { console.note(.notice, SetupFinding.nothing) }
        if request.output.verbosity == .verbose, !request.output.isJSON { showRemedies() }
        console.end(Self.status(findings.map(\.severity).max()))
    }

    /// Shows what `--method auto` would try, for each interface that has this method.
    private func showRemedies() {
        for facts in interfaces where settings(for: facts.kernelState.link).methods.isEmpty {
            for line in RemedyRow.lines(for: facts.name, under: facts.driverRule) { console.result(line) }
        }
    }

    private static func status(_ worst: SetupFinding.Severity?) -> ExitStatus {
        switch worst {
        case nil, .note?: .healthy
        case .warning?: .sick
        case .error?: .unavailable
        }
    }
}
