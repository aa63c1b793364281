import Model

/// Makes the kernel resolve or verify a neighbour by ARP or neighbour solicitation, and reads the outcome
/// from the kernel's neighbour table. Needs CAP_NET_ADMIN but no socket, and works where ICMP is filtered.
@MainActor final class NeighbourProbe {
    let address: IPAddress
    let index: InterfaceIndex
    private let table: Prober.NeighbourTable
    private let pending: PendingProbe
    private var isAsking = false

    init(
        _ address: IPAddress, on index: InterfaceIndex, table: Prober.NeighbourTable, _ pending: PendingProbe
    ) {
        self.address = address
        self.index = index
        self.table = table
        self.pending = pending
        pending.timeIsOver = { [weak self] in self?.timeIsOver() }
        table.verify(address, index) { [weak self] result in self?.verified(result) }
    }

    /// Handles a change of the neighbour's entry. An answer may arrive before the kernel has acknowledged the
    /// request. A failure before the acknowledgement belongs to an earlier request.
    func changed(_ neighbour: Neighbour) {
        switch neighbour.state {
        case .reachable where isFresh(neighbour): answered(neighbour)
        case .failed where isAsking: pending.end(.unanswered(detail: "\(address) did not answer"))
        case .none, .incomplete, .reachable, .stale, .delay, .probe, .failed, .noARP, .permanent: break
        }
    }

    private func verified(_ result: Result<Void, Failure>) {
        switch result {
        case .success: isAsking = true
        // The kernel is already asking (state INCOMPLETE or PROBE). The outcome of that is the answer.
        case .failure(let failure) where failure.kind == .busy: isAsking = true
        case .failure(let failure): pending.end(.unknown(failure))
        }
    }

    /// At the time-out, reads the entry itself, because an announcement may have been lost.
    private func timeIsOver() {
        guard isAsking else { return pending.end(.unknown(Self.noAnswerFromKernel)) }
        pending.timeIsOver = { [pending] in pending.end(.unknown(Self.noAnswerFromKernel)) }
        pending.extend(by: Self.lookUpTimeout)
        table.lookUp(address, index) { [weak self] result in self?.lookedUp(result) }
    }

    private func lookedUp(_ result: Result<Neighbour?, Failure>) {
        switch result {
        case .failure(let failure): pending.end(.unknown(failure))
        case .success(nil): pending.end(.unknown(Self.deleted(address)))
        case .success(let neighbour?): judge(neighbour)
        }
    }

    private func judge(_ neighbour: Neighbour) {
        switch neighbour.state {
        case .noARP, .permanent: pending.end(.unknown(Self.fixed(address)))
        case .reachable where neighbour.confirmed != nil && isFresh(neighbour): answered(neighbour)
        case .none, .incomplete, .reachable, .stale, .delay, .probe, .failed:
            pending.end(.unanswered(detail: "\(address) did not answer"))
        }
    }

    private func answered(_ neighbour: Neighbour) {
        let who = neighbour.macAddress.map { "\($0)" } ?? "\(address)"
        let ago = min(neighbour.confirmed ?? .zero, pending.elapsed)
        pending.end(.answered(roundTrip: pending.elapsed - ago, detail: "\(who) is reachable"))
    }

    /// Whether the kernel has confirmed the neighbour since the request. The kernel's times have a resolution
    /// of 10 ms.
    private func isFresh(_ neighbour: Neighbour) -> Bool {
        guard let confirmed = neighbour.confirmed else { return true }
        return confirmed <= pending.elapsed
    }

    /// How long the kernel may take to answer. It normally answers inside the call.
    private static let lookUpTimeout: Duration = .seconds(1)
    private static let noAnswerFromKernel = Failure(kind: .timedOut, description: "the kernel did not answer")

    static func deleted(_ address: IPAddress) -> Failure {
        Failure(kind: .lost, description: "the neighbour entry of \(address) was deleted meanwhile")
    }

    static func fixed(_ address: IPAddress) -> Failure {
        Failure(
            kind: .other,
            description: "the neighbour entry of \(address) is fixed, so the kernel does not probe it"
                + " (use another probe, such as icmp)")
    }
}
