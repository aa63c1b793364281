import Glibc
import Model
import Platform

/// Runs probes for any number of interfaces, without blocking. Each probe is bound to its interface, and has
/// one deadline, after which its resources are released.
@MainActor public final class Prober {
    /// Access to the kernel's neighbour table.
    public struct NeighbourTable {
        /// Asks about a neighbour of an interface, and calls the completion with the answer.
        public typealias Question<Answer> =
            @MainActor (
                IPAddress, InterfaceIndex, @escaping @MainActor (Result<Answer, Failure>) -> Void
            ) -> Void

        /// Makes the kernel verify that a neighbour is reachable (RTM_NEWNEIGH with NTF_USE or NUD_PROBE;
        /// rtnetlink(7)).
        public var verify: Question<Void>
        /// Reads the entry of a neighbour (RTM_GETNEIGH); nil if there is none.
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

    /// - Parameter resolver: the path of a program with the command line of getent(1).
    init(neighbours: NeighbourTable, resolver: String, helper: HelperProbe? = nil) {
        self.neighbours = neighbours
        self.resolver = resolver
        self.helper = helper ?? HelperProbe(supervisor: HelperSupervisor())
    }

    /// The user as whom command probes run: a name in /etc/passwd.
    public var commandUser: String {
        get { commands.user }
        set { commands.user = newValue }
    }

    /// Absolute paths of directories in which command probes must not change anything.
    public var protectedDirectories: [String] {
        get { commands.protected }
        set { commands.protected = newValue }
    }

    /// Starts a probe. `done` runs once with the result, at the latest shortly after the time limit of the
    /// request, and never inside this call. Cancels an earlier request with the same interface and id.
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
        let own = Device(index: index, name: interfaceName)
        let device = request.device ?? own
        switch request.question {
        case .neighbour(let address):
            neighbourProbes[key] = NeighbourProbe(address, on: device.index, table: neighbours, pending)
        case .icmp(let target):
            resolve(target, pending) { [echoes] address throws(SystemError) in
                try echoes.start(address, on: device, pending)
            }
        case .tcp(let target, let port):
            resolve(target, pending) { address throws(SystemError) in
                try ConnectionProbe.start(address, port: port, on: device, pending)
            }
        case .dns(let name, let server): helper.ask(name: name, server: server, on: device, pending)
        case .http(let question): helper.ask(question, on: device, pending)
        case .command(let path): commands.start(path, on: own, pending)
        }
    }

    /// Cancels a probe. Its `done` does not run.
    public func cancel(_ id: Int, on index: InterfaceIndex) {
        let key = Key(index: index, id: id)
        neighbourProbes[key] = nil
        pendingProbes.removeValue(forKey: key)?.cancel()
    }

    /// Whether systemd-resolved fails to answer for a name, although a server that it uses gives the right
    /// answer over this interface. `done` is called once, possibly inside this call, with false if that
    /// cannot be found out.
    public func isResolverAtFault(
        _ lookup: FailedLookup, on index: InterfaceIndex, interfaceName: String,
        _ done: @escaping @MainActor (Bool) -> Void
    ) {
        helper.isResolverAtFault(lookup, on: Device(index: index, name: interfaceName), done)
    }

    /// Whether systemd-resolved fails to answer even for a name that it knows by itself; nothing is sent to
    /// the network. `done` is called once, possibly inside this call, with false if that cannot be found out.
    public func isResolverMute(at resolver: IPAddress, _ done: @escaping @MainActor (Bool) -> Void) {
        helper.isResolverMute(at: resolver, done)
    }

    /// Call this if a monitor receives links, addresses and routes, and reports every change
    /// (``networkChanged(_:)``). From then on, sockets are reused until a change is reported.
    public func relyOnChangeReports() { echoes.isToldOfChanges = true }

    /// Reports a change of an interface, its addresses, its routes or its connection.
    /// - Parameter index: the interface; nil if it is unknown or may be any.
    public func networkChanged(_ index: InterfaceIndex?) { echoes.networkChanged(index) }

    /// Reports a change in the kernel's neighbour table (RTM_NEWNEIGH).
    public func neighbourChanged(_ index: InterfaceIndex, _ address: IPAddress, _ neighbour: Neighbour) {
        for probe in neighbourProbes.values where probe.index == index && probe.address == address {
            probe.changed(neighbour)
        }
    }

    private typealias Asking = @MainActor (IPAddress) throws(SystemError) -> Void

    private func resolve(_ target: ProbeTarget, _ pending: PendingProbe, _ ask: @escaping Asking) {
        switch target {
        case .address(let address): Self.start(at: [address], pending, ask)
        case .name(let name):
            DNSResolution.start(name, program: resolver, pending) { Self.start(at: $0, pending, ask) }
        }
    }

    /// Asks the first address to which this link can send. If only another link has IPv6, the first address
    /// of a host is often an IPv6 address, and this link has no route to it, or no address to send from.
    private static func start(at addresses: [IPAddress], _ pending: PendingProbe, _ ask: Asking) {
        for (position, address) in addresses.enumerated() {
            do throws(SystemError) { return try ask(address) } catch {
                let isOther = [ENETUNREACH, EADDRNOTAVAIL].contains(error.code)
                guard isOther, position + 1 < addresses.count else {
                    return pending.end(.unknown(Failure(error)))
                }
            }
        }
    }
}
