import CNetlink
import Dispatch
import Model
import Platform

/// Sends requests and orders to the kernel's network stack through rtnetlink(7) and nl80211.
///
/// The kernel may block the sender of a request, or the reader of a dump, while a driver works. A service
/// therefore runs orders and large requests on a separate thread, one after the other, while its event loop
/// continues. Each completion is called exactly once, on the event loop, and never inside the call. Requests
/// on the separate thread complete by their deadline at the latest (`Failure.Kind.timedOut`). A request whose
/// deadline passes while it waits is never sent.
@MainActor
public final class NetlinkCommands {
    /// The thread on which conversations run.
    public enum Place: Sendable {
        /// For a service: other interfaces, signals and the watchdog do not wait while a driver carries out
        /// an order. A short request runs inside the call, unless an order is under way or the last request
        /// took long, because waking a thread would double the cost of a check. Each order has a new thread,
        /// which ends with it.
        case ownThread
        /// The calling thread. This is for a one-shot command: it has nothing to do until the answer comes,
        /// and it could not exit while another of its threads is blocked in the kernel. Without another
        /// thread, each request saves two thread switches. The deadline limits the wait for an answer, but
        /// not the sending.
        case callingThread
    }

    public typealias Completion<Value> = @MainActor (Result<Value, Failure>) -> Void

    private let route: Transport
    private let generic: Transport
    private let wirelessFamily: FamilyNumber
    private let requestTimeout: Duration
    private let queue: RequestQueue
    var known = AddressingCache()
    private var conversations: UInt32 = 0
    /// How much longer than one request the several requests for a kernel state may take.
    private static let kernelStatesShare: Int64 = 4
    /// The distance between the first sequence numbers of two conversations. One conversation uses fewer
    /// numbers.
    private static let sequenceStride: UInt32 = 1 << 16

    /// Opens the sockets in the network namespace of the calling thread. A service replaces a socket that
    /// another part of the process has closed. The new socket is in the namespace of the thread that runs the
    /// conversations.
    /// - Parameter requestTimeout: how long a request may take, including the wait for earlier requests.
    public convenience init(
        _ place: Place = .ownThread, requestTimeout: Duration = .seconds(10)
    ) throws(Failure) {
        switch place {
        case .ownThread:
            self.init(
                place, route: Transport(try ReopenedSocket(NETLINK_ROUTE)),
                generic: Transport(try ReopenedSocket(NETLINK_GENERIC)), requestTimeout: requestTimeout)
        case .callingThread:
            // In a one-shot command no other code closes the descriptors, so the route socket is not checked.
            // The first request to nl80211 opens the generic socket, and only if nl80211 is loaded.
            self.init(
                place, route: Transport(try NetlinkSocket(NETLINK_ROUTE, .brief)),
                generic: Transport(ReopenedSocket(later: NETLINK_GENERIC)), requestTimeout: requestTimeout)
            if WirelessStack.isMissing { wirelessFamily.noteMissing() }
        }
    }

    init(_ place: Place = .ownThread, route: Transport, generic: Transport, requestTimeout: Duration) {
        queue = RequestQueue(place)
        wirelessFamily = FamilyNumber(remembersAbsence: place == .callingThread)
        self.route = route
        self.generic = generic
        self.requestTimeout = requestTimeout
    }

    /// Reads all interfaces (RTM_GETLINK, rtnetlink(7)).
    public func links(_ done: @escaping Completion<[Link]>) {
        ask({ (kernel) throws(Failure) in try kernel.links() }, done)
    }

    /// The interface of this name or alternative name, without a dump (RTM_GETLINK, IFLA_IFNAME). Fails with
    /// `.noSuchDevice` if there is none.
    public func link(named name: String, _ done: @escaping Completion<Link>) {
        ask({ (kernel) throws(Failure) in try kernel.link(named: name) }, done)
    }

    /// The interface with this index (RTM_GETLINK). Fails with `.noSuchDevice` if there is none.
    public func link(_ index: InterfaceIndex, _ done: @escaping Completion<Link>) {
        ask({ (kernel) throws(Failure) in try kernel.link(index) }, done)
    }

    /// Sets or clears IFF_UP and changes no other flag (RTM_SETLINK). After a time-out (`.timedOut`), the
    /// kernel may still carry out the order: read the link again, or monitor it.
    public func setAdministrativeState(
        up: Bool, of index: InterfaceIndex, timeout: Duration, _ done: @escaping Completion<Void>
    ) {
        known.changed(index)
        ask(
            taking: .blocking, within: timeout,
            { (kernel) throws(Failure) in try kernel.setAdministrativeState(up: up, of: index) }, done)
    }

    /// The next hops of an interface's unicast routes in all tables, of both families, each address once and
    /// with its neighbour entry (RTM_GETROUTE, RTM_GETNEIGH). The next hops of default routes come first.
    /// Within both groups, the order is by metric.
    public func gateways(of index: InterfaceIndex, _ done: @escaping Completion<[Gateway]>) {
        ask({ (kernel) throws(Failure) in try kernel.gateways(of: index) }, done)
    }

    /// The names of the interfaces that are up and have a default route: of either family, in any table, also
    /// as one of several next hops (RTM_GETLINK, RTM_GETROUTE). Routes that reject packets do not count.
    public func interfacesWithDefaultRoute(_ done: @escaping Completion<[String]>) {
        // Routing tables can be large.
        ask(taking: .blocking, { (kernel) throws(Failure) in try kernel.interfacesWithDefaultRoute() }, done)
    }

    /// All Wi-Fi interfaces; empty if the kernel has no nl80211 (NL80211_CMD_GET_INTERFACE).
    public func wirelessInterfaces(_ done: @escaping Completion<[InterfaceIndex: Wireless]>) {
        ask({ (kernel) throws(Failure) in try kernel.wirelessInterfaces() }, done)
    }

    /// The nl80211 state of an interface; nil if it is not Wi-Fi (NL80211_CMD_GET_INTERFACE,
    /// NL80211_CMD_GET_STATION).
    public func wireless(_ index: InterfaceIndex, _ done: @escaping Completion<Wireless?>) {
        ask({ (kernel) throws(Failure) in try kernel.wireless(index) }, done)
    }

    /// The interface of this name and its nl80211 state, which is nil if it is not Wi-Fi. Requests no dump of
    /// links.
    public func identify(_ name: String, _ done: @escaping Completion<(link: Link, wireless: Wireless?)>) {
        ask(
            { (kernel) throws(Failure) in
                let link = try kernel.link(named: name)
                return (link: link, wireless: try kernel.wireless(link.index))
            }, done)
    }

    /// The neighbour entry of an address; nil if there is none (RTM_GETNEIGH).
    public func neighbour(
        _ address: IPAddress, on index: InterfaceIndex, _ done: @escaping Completion<Neighbour?>
    ) {
        ask({ (kernel) throws(Failure) in try kernel.neighbour(address, on: index) }, done)
    }

    /// Makes the kernel verify that a neighbour is reachable (RTM_NEWNEIGH). Completes as soon as the kernel
    /// has started. A `NetlinkMonitor` with the topic `.neighbours` reports the outcome, `reachable` or
    /// `failed`, within about three seconds. Fails if the entry is fixed (NUD_PERMANENT, NUD_NOARP).
    public func verifyNeighbour(
        _ address: IPAddress, on index: InterfaceIndex, _ done: @escaping Completion<Void>
    ) {
        ask({ (kernel) throws(Failure) in try kernel.verifyNeighbour(address, on: index) }, done)
    }

    /// Makes the kernel repeat at once its requests for those neighbours that it is still resolving
    /// (NUD_INCOMPLETE; RTM_NEWNEIGH). Does nothing for neighbours in other states.
    public func resolveNeighbours(for addresses: [IPAddress], on index: InterfaceIndex) {
        ask(
            { (kernel) throws(Failure) in
                let upper = try kernel.upper(of: index)
                for address in addresses { try kernel.resolveNeighbours(for: address, on: upper) }
            }, { _ in })
    }

    /// Enables the cache of addresses and routes. Call this if a monitor receives links, addresses, routes
    /// and nl80211, and passes every notification to ``heard(_:)``. From then on, a value is read again only
    /// after the kernel has announced a change, or after ten minutes.
    public func relyOnChangeReports() { known.isTold = true }

    /// Updates the caches. Pass every notification of the `NetlinkMonitor`.
    public func heard(_ notification: NetlinkMonitor.Notification) {
        switch notification {
        // When the kernel sets a link down, it does not announce the routes that it removes. Therefore a
        // change of the link also invalidates the cached routes.
        case .linkChanged(let link): known.changed(link.index)
        case .linkRemoved(let index), .addressChanged(let index), .addressRemoved(let index),
            .routeChanged(let index), .routeRemoved(let index):
            known.changed(index)
        case .nextHopGroupChanged, .nextHopGroupRemoved: known.changed(nil)
        case .wirelessAppeared: wirelessFamily.forgetAbsence()
        case .overran:
            known.changed(nil)
            wirelessFamily.forgetAbsence()
        case .monitorFailed: known.isTold = false
        case .linkClosed, .neighbourChanged, .wirelessConnected, .wirelessDisconnected, .deauthenticated,
            .joinAttempted, .scanBegun, .scanFinished:
            break
        }
    }

    /// Reads the kernel state of an interface.
    /// - Parameters:
    ///   - mayBeKnown: whether cached addresses and routes may be used, and a missing nl80211 need not be
    ///     searched for again.
    ///   - asksForPowerSave: whether to read the power saving of a station, too (NL80211_CMD_GET_POWER_SAVE).
    ///   - radio: called on the event loop with the number of the radio (phy), if the interface has a radio;
    ///     returns how rfkill blocks the radio.
    public func kernelState(
        _ index: InterfaceIndex, mayBeKnown: Bool = false, asksForPowerSave: Bool = false,
        radio: @escaping @MainActor (UInt32) -> RadioBlock, _ done: @escaping Completion<KernelState>
    ) {
        // If this request waits for an order, the cached values may be outdated by then.
        let mayBeKnown = mayBeKnown && !queue.isBusy
        let addressing = mayBeKnown ? known.value(of: index, at: .now) : nil
        let (changes, isTold) = (known.changes, mayBeKnown && known.isTold)
        let complete: Completion<KernelStateQuery> = { [weak self] answer in
            done(
                answer.map { answer in
                    if let (addressing, time) = answer.reading {
                        self?.known.keep(addressing, of: index, at: time, after: changes)
                    }
                    var kernelState = answer.kernelState
                    if let phy = kernelState.wireless?.phy { kernelState.radio = radio(phy) }
                    return kernelState
                })
        }
        // brcmfmac asks its firmware for parts of the answers. If the firmware hangs, each takes 2.5 s
        // (DCMD_RESP_TIMEOUT). The answers still show that the gateway is silent.
        ask(
            within: requestTimeout * Self.kernelStatesShare,
            { (kernel) throws(Failure) in
                try kernel.kernelState(
                    index, addressing, isToldOfFamily: isTold, asksForPowerSave: asksForPowerSave)
            }, complete)
    }

    /// Runs the body on the event loop, soon, while neither a conversation nor ``BlockingWork`` is under way.
    /// Use it before a fork(2) of the process.
    public func whileIdle(_ body: @escaping @MainActor () -> Void) { queue.whileIdle(body) }

    func ask<Value: Sendable>(
        taking effort: RequestQueue.Effort = .nonBlocking, within timeout: Duration? = nil,
        _ question: @escaping @Sendable (inout Conversation) throws(Failure) -> Value,
        _ done: @escaping Completion<Value>
    ) {
        conversations &+= 1
        let sequence = conversations &* Self.sequenceStride
        let (route, generic, wirelessFamily) = (route, generic, wirelessFamily)
        queue.perform(
            effort, within: timeout ?? requestTimeout,
            { (deadline) throws(Failure) in
                var kernel = Conversation(
                    route: route, generic: generic, wirelessFamily: wirelessFamily, sequence: sequence,
                    deadline: deadline)
                return try question(&kernel)
            }, done)
    }
}
