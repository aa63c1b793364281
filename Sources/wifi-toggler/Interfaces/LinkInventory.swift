import Model
import Netlink
import Platform

/// Reads the list of links. There is only one request at a time, however often ``ask()`` is called. A failed
/// request is repeated.
final class LinkInventory {
    private let netlink: NetlinkCommands
    private let taken: ([Link]) -> Void
    private var isAsking = false
    /// Whether a link has changed during the request, so that the answer may be outdated.
    private var isOutdated = false
    private var retry: TimerSource?
    /// The pause before a request is repeated.
    private static let pause: Duration = .seconds(1)

    /// - Parameter taken: called with the list of links.
    init(_ netlink: NetlinkCommands, taken: @escaping ([Link]) -> Void) {
        self.netlink = netlink
        self.taken = taken
        retry = TimerSource { [unowned self] in ask() }
    }

    func ask() {
        guard !isAsking else {
            isOutdated = true
            return
        }
        isAsking = true
        isOutdated = false
        retry?.cancel()
        netlink.links { [unowned self] result in
            isAsking = false
            switch result {
            case .success(let links): taken(links)
            case .failure: return askLater()
            }
            if isOutdated { askLater() }
        }
    }

    func askLater() { retry?.schedule(after: Self.pause) }

    /// Reports that a link has appeared, disappeared or changed.
    func becameOlder() { if isAsking { isOutdated = true } }
}
