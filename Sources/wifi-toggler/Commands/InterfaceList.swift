import Glibc
import Model
import Reporting

/// The command `list`: shows the Wi-Fi interfaces and their states.
final class InterfaceList {
    private let console: Console
    private let asJSON: Bool
    private let live: LiveEnvironment

    init(_ console: Console, asJSON: Bool) {
        self.console = console
        self.asJSON = asJSON
        live = LiveEnvironment.open(console)
    }

    /// Prints the list and ends the process.
    func start() {
        InterfaceResolver(netlink: live.netlink).all { [unowned self] result in
            switch result {
            case .failure(let problem): console.fail(problem.sentence, problem.status)
            case .success(let candidates):
                let wireless = candidates.filter { $0.wireless != nil }.sorted { $0.link.name < $1.link.name }
                kernelState(wireless[...], [])
            }
        }
    }

    /// Reads the state of one interface after the other. Skips an interface that has disappeared.
    private func kernelState(_ rest: ArraySlice<Candidate>, _ kernelStates: [KernelState]) {
        guard let next = rest.first else { return show(kernelStates) }
        live.kernelState(next.link.index) { [unowned self] result in
            kernelState(rest.dropFirst(), kernelStates + ((try? result.get()).map { [$0] } ?? []))
        }
    }

    private func show(_ kernelStates: [KernelState]) {
        if asJSON {
            for entry in entries(kernelStates) { console.result(InterfaceTable.json(entry)) }
        } else if kernelStates.isEmpty {
            console.say(Line(.notice, "no Wi-Fi interface found"))
        } else {
            for line in InterfaceTable.table(entries(kernelStates)) { console.result(line) }
        }
        exit(ExitStatus.healthy.rawValue)
    }

    private func entries(_ kernelStates: [KernelState]) -> [InterfaceTable.Entry] {
        let owners = OwnerLookup()
        return kernelStates.map { ($0, owners.ownership(of: $0.link, isWireless: true)) }
    }
}
