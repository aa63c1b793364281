import Glibc
import Invocation
import Model
import Platform
import Reporting

/// The command `list`: shows the Wi-Fi interfaces and their states.
final class InterfaceList {
    private let request: Request
    private let console: Console
    private let drivers: DriverTable
    private let live: LiveEnvironment

    init(_ request: Request, _ console: Console, drivers: DriverTable) {
        self.request = request
        self.console = console
        self.drivers = drivers
        live = LiveEnvironment.open(console)
    }

    /// Prints the list and ends the process.
    func start() {
        InterfaceResolver(netlink: live.netlink).all { [unowned self] result in
            switch result {
            case .failure(let problem): console.fail(problem.description, problem.status)
            case .success(let candidates):
                let isEvery = request.settings(for: "", file: nil).allowsAnyInterface
                let chosen = candidates.filter { isEvery || $0.wireless != nil }
                    .sorted { $0.link.name < $1.link.name }
                kernelState(chosen[...], [])
            }
        }
    }

    /// Reads the state of one interface after the other. Skips an interface that has disappeared.
    private func kernelState(_ rest: ArraySlice<Candidate>, _ kernelStates: [KernelState]) {
        guard let next = rest.first else { return show(kernelStates) }
        live.kernelState.read(next.link.index) { [unowned self] result in
            kernelState(rest.dropFirst(), kernelStates + ((try? result.get()).map { [$0] } ?? []))
        }
    }

    private func show(_ kernelStates: [KernelState]) {
        if request.output.isJSON {
            for entry in entries(kernelStates) { console.result(InterfaceTable.json(entry)) }
        } else if kernelStates.isEmpty {
            console.say(Line(.notice, "no Wi-Fi interface found"))
        } else {
            let isVerbose = request.output.verbosity == .verbose
            let lines = InterfaceTable.table(entries(kernelStates), isVerbose: isVerbose)
            for line in lines { console.result(line) }
        }
        console.end(.healthy)
    }

    private func entries(_ kernelStates: [KernelState]) -> [InterfaceTable.Entry] {
        let owners = OwnerLookup()
        return kernelStates.map { kernelState in
            let driver = SysfsDriver.name(ofInterface: kernelState.link.name)
            let ownership = owners.ownership(of: kernelState.link, isWireless: kernelState.wireless != nil)
            return InterfaceTable.Entry(
                kernelState, ownership, driver: driver, rule: driver.flatMap(drivers.rule))
        }
    }
}
