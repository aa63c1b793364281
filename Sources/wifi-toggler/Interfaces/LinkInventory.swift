import Model
import Netlink
import Platform
import Toggling

/// Asks which links there are: one question at a time, however often it is called for, and again where the
/// kernel could not tell.
final class LinkInventory {
    private let netlink: NetlinkCommands
    private let taken: ([Link]) -> Void
    private var isAsking = false
    /// Something happened while the kernel was asked: its answer may be older.
    private var isOutdated = false
    private var retry: TimerSource?
    /// Before the kernel is asked again that could not tell, in nanoseconds.
    private static let pause: Int64 = 1_000_000_000

    /// - Parameter taken: All links, as they were not long ago.
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

    func askLater() { retry?.schedule(atBootNanoseconds: BootClock.now() + Self.pause) }

    /// A link came, went or changed.
    func becameOlder() { if isAsking { isOutdated = true } }
}
