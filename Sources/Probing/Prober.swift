import Model
import Platform

/// Asks the outside, for any number of interfaces: never blocking, always bound to the interface, each
/// question with one deadline, everything closed when it has passed.
@MainActor public final class Prober {
    /// What the kernel's neighbour table can do for us.
    public struct NeighbourTable {
        /// A question about a neighbour of an interface, and whom to tell its outcome.
        public typealias Question<Answer> =
            @MainActor (
                IPAddress, InterfaceIndex, @escaping @MainActor (Result<Answer, Failure>) -> Void
            ) -> Void

        /// Has the kernel ask a neighbour whether it still hears us (RTM_NEWNEIGH with NTF_USE or NUD_PROBE).
        public var verify: Question<Void>
        /// Looks up the entry of a neighbour (RTM_GETNEIGH); nil: there is none.
        public var lookUp: Question<Neighbour?>

        public init(verify: @escaping Question<Void>, lookUp: @escaping Question<Neighbour?>) {
            self.verify = verify
            self.lookUp = lookUp
        }
    }

    private struct Key: Hashable {
        var index: InterfaceIndex
        var id: Int
    }

    private let neighbours: NeighbourTable
    private let resolver: String
    private let helper: HelperProbe
    private let commands = CommandProbes()
    let echoes = EchoProbes()
    private var pendingProbes: [Key: PendingProbe] = [:]
    private var neighbourProbes: [Key: NeighbourProbe] = [:]

    public convenience init(neighbours: NeighbourTable) {
        self.init(neighbours: neighbours, resolver: DNSResolution.program)
    }

    /// `resolver`: the path of a program that answers as getent(1) does.
    init(neighbours: NeighbourTable, resolver: String, helper: HelperProbe? = nil) {
        self.neighbours = neighbours
        self.resolver = resolver
        self.helper = helper ?? HelperProbe(addressOwner: HelperSupervisor())
    }

    /// As whom commands are run: a user of /etc/passwd.
    public var commandUser: String {
        get { commands.user }
        set { commands.user = newValue }
    }

    /// Asks. `done` runs once, with the outcome, at the latest about when the request's time is over, and
    /// never inside this call; after ``cancel(_:on:)`` it does not. An earlier request with the same
    /// interface and id is cancelled.
    public func start(
        _ request: ProbeRequest, on index: InterfaceIndex, interfaceName: String,
        _ done: @escaping @MainActor (ProbeResult) -> Void
    ) {
        cancel(request.id, on: index)
        let key = Key(index: index, id: request.id)
        let pending = PendingProbe(timeout: request.timeout) { [weak self] result in
            self?.pendingProbes[key] = nil
            self?.neighbourProbes[key] = nil
            done(result)
        }
        pendingProbes[key] = pending
        let device = Device(index: index, name: interfaceName)
        switch request.question {
        case .neighbour(let address):
            neighbourProbes[key] = NeighbourProbe(address, on: index, table: neighbours, pending)
        case .icmp(let target):
            resolve(target, pending) { [echoes] in echoes.start($0, on: device, pending) }
        case .tcp(let target, let port):
            resolve(target, pending) { ConnectionProbe.start($0, port: port, on: device, pending) }
        case .dns(let name, let server): helper.ask(name: name, server: server, on: device, pending)
        case .http(let question): helper.ask(question, on: device, pending)
        case .command(let path): commands.start(path, on: device, pending)
        }
    }

    /// Stops asking: no `done` afterwards.
    public func cancel(_ id: Int, on index: InterfaceIndex) {
        let key = Key(index: index, id: id)
        neighbourProbes[key] = nil
        pendingProbes.removeValue(forKey: key)?.cancel()
    }

    /// Somebody listens to all of links, addresses and routes, and tells of each change
    /// (``networkChanged(_:)``): sockets may be used again until then.
    public func isToldOfChanges() { echoes.isToldOfChanges = true }

    /// The kernel announced a change of an interface, of its addresses, its routes or its connection. nil: of
    /// any, or nobody knows.
    public func networkChanged(_ index: InterfaceIndex?) { echoes.networkChanged(index) }

    /// The kernel announced a change of its neighbour table (RTM_NEWNEIGH).
    public func neighbourChanged(_ index: InterfaceIndex, _ address: IPAddress, _ neighbour: Neighbour) {
        for (key, probe) in neighbourProbes where key.index == index && probe.address == address {
            probe.changed(neighbour)
        }
    }

    private func resolve(
        _ target: ProbeTarget, _ pending: PendingProbe, _ ask: @escaping @MainActor (IPAddress) -> Void
    ) {
        switch target {
        case .address(let address): ask(address)
        case .name(let name): DNSResolution.start(name, program: resolver, pending, ask)
        }
    }
}
