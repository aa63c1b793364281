import Glibc
import Model
import Platform

/// Finds out whether the radio of a station that is not associated refuses to work (``RadioCondition``), from
/// the records of crashes, and by scans of the one channel on which it was associated. A station that was
/// never seen without a fault is not examined: there is nothing to compare with.
@MainActor public final class RadioConditionQuery {
    public typealias Completion = @MainActor (RadioCondition?) -> Void
    /// Starts a scan (``Netlink/NetlinkCommands/directedScan(to:on:_:)``).
    public typealias Scan =
        @MainActor (AccessPoint, InterfaceIndex, @escaping @MainActor (Result<Void, Failure>) -> Void) -> Void

    /// How many refusals in a row, with the same error, are evidence.
    nonisolated static let enough = 3

    /// What is known of a station.
    private struct Station {
        /// The last access point.
        var accessPoint: AccessPoint
        /// The records of crashes that existed at the last check without a fault.
        var oldCoredumps: Set<String>
        /// Whether the station was a port of another interface at that check or since then.
        var isPort: Bool
        /// The error of the last refusals in a row; `count` is their number.
        var refusal: ScanRefusal?
        var count = 0

        mutating func note(_ next: ScanRefusal?) {
            count = next == nil ? 0 : next == refusal ? min(count + 1, enough) : 1
            refusal = next
        }
    }

    private let scan: Scan
    private let coredumps: DeviceCoredumps
    private let spacing: Duration
    private var stations: [InterfaceIndex: Station] = [:]
    /// When the kernel itself has set a link down that has been down since then.
    private var closed: [InterfaceIndex: Instant] = [:]
    /// The last rfkill block of any radio.
    private var blockedAt: Instant?
    /// The timers of the queries that wait for their next scan. There may be several for one interface,
    /// because a check that is given up does not end its query.
    private var timers: [Int: TimerSource] = [:]
    /// The number of the last timer.
    private var lastTimer = 0

    /// - Parameter spacing: the time between two scans of one query.
    public init(
        sysfs: String = DriverBinding.sysfs, spacing: Duration = .seconds(2), scan: @escaping Scan
    ) {
        self.scan = scan
        self.spacing = spacing
        coredumps = DeviceCoredumps(sysfs: sysfs)
    }

    // MARK: What happens meanwhile

    /// Notes the state that a check has read. The state of an associated station without a fault is stored,
    /// to be compared with later. If rfkill blocks the radio, the link is down because of that, and not
    /// because of a crash.
    public func note(_ kernelState: KernelState) {
        if kernelState.radio != .none { closed[kernelState.link.index] = nil }
        guard let wireless = kernelState.wireless, wireless.role == .station, kernelState.fault == nil,
            let association = wireless.association, let ssid = association.ssid,
            let frequency = association.frequency
        else { return }
        stations[kernelState.link.index] = Station(
            accessPoint: AccessPoint(bssid: association.bssid, ssid: ssid, frequency: frequency),
            oldCoredumps: coredumps.names(of: kernelState.link.name),
            isPort: kernelState.link.port != nil)
    }

    /// Notes that a scan has ended. This shows that the radio is not busy for ever, so the count of refusals
    /// begins anew.
    public func scanFinished(on index: InterfaceIndex) { stations[index]?.note(nil) }

    /// Forgets an interface that has disappeared.
    public func removed(_ index: InterfaceIndex) { (stations[index], closed[index]) = (nil, nil) }

    /// Notes that the kernel itself has set a link down. This is ignored for a station that no check has seen
    /// without a fault, because it may never have had a network. It is also ignored if the kernel may have had
    /// another reason: after an rfkill block, or if the station was a port. When a program takes a port out of
    /// a bond or a team, the kernel sets the link down.
    public func closed(_ index: InterfaceIndex, at now: Instant = .now) {
        let isBlocked = blockedAt.map { now - $0 <= RadioBlock.reach } ?? false
        closed[index] = stations[index]?.isPort == false && !isBlocked ? now : nil
    }

    /// Notes that a link is a port of another interface.
    public func enslaved(_ index: InterfaceIndex) { stations[index]?.isPort = true }

    /// Notes that a link is up.
    public func opened(_ index: InterfaceIndex) { closed[index] = nil }

    /// Notes an rfkill block, even if it has already ended. It may be why links were set down just now.
    public func blocked(at now: Instant = .now) {
        blockedAt = now
        for (index, since) in closed where now - since <= RadioBlock.reach { closed[index] = nil }
    }

    /// Notes that announcements were lost. A program may have set a link up, and down again, in the meantime.
    public func overran() { closed = [:] }

    /// Whether the kernel itself, not a program, has set the link down, because the driver could not restart
    /// its device after a crash, or could not resume it (`cfg80211_shutdown_all_interfaces`, called by
    /// `ieee80211_restart_work` in net/mac80211/main.c and by `wiphy_resume` in net/wireless/sysfs.c). Without
    /// an rfkill block, it does this to a station only then, or before it removes the interface. So the result
    /// is false until the announcement of a block or of the removal would have arrived, unless the driver has
    /// recorded a crash since the last check without a fault: many drivers record none, and the kernel keeps
    /// one record of a device for five minutes. The result stays true if a program also sets the link down
    /// afterwards, because the link is down already, and the kernel announces nothing.
    public func isClosed(_ link: Link, at now: Instant = .now) -> Bool {
        guard !link.isUp, let since = closed[link.index], let station = stations[link.index] else {
            return false
        }
        return now - since > RadioBlock.reach
            || !coredumps.names(of: link.name).isSubset(of: station.oldCoredumps)
    }

    // MARK: The query

    /// Whether ``ask(_:named:_:)`` examines this interface: a check has seen it as an associated station
    /// without a fault.
    public func knows(_ index: InterfaceIndex) -> Bool { stations[index] != nil }

    /// Finds out whether the radio of a station that is not associated refuses to work.
    /// - Parameter done: called once, possibly inside this call; nil: the radio works, or is not known to refuse.
    public func ask(_ index: InterfaceIndex, named interface: String, _ done: @escaping Completion) {
        guard let station = stations[index] else { return done(nil) }
        if !coredumps.names(of: interface).isSubset(of: station.oldCoredumps) { return done(.crashed) }
        scan(station.accessPoint, index) { [self] result in
            guard stations[index] != nil else { return done(nil) }
            stations[index]?.note(result.refusal)
            guard let refusal = result.refusal, let count = stations[index]?.count else { return done(nil) }
            if count >= Self.enough { return done(.refusesScans(refusal)) }
            // Perhaps another program is scanning. Only later queries can show whether the radio stays busy.
            if refusal.mayBeBusy { return done(nil) }
            lastTimer += 1
            let timer = TimerSource { [self, number = lastTimer] in
                timers[number] = nil
                ask(index, named: interface, done)
            }
            timers[lastTimer] = timer
            timer.schedule(after: spacing)
        }
    }
}

extension Result<Void, Failure> {
    /// The error with which the driver refused a scan; nil: the driver did not refuse the scan, or the error
    /// has other causes.
    fileprivate var refusal: ScanRefusal? {
        guard case .failure(let failure) = self, failure.kind != .timedOut else { return nil }
        return switch failure.code {
        case EIO: .inputOutput
        case ENODEV: .noDevice
        case EBUSY: .busy
        case EBADE: .badExchange
        case EPROTO: .protocolError
        case ETIMEDOUT: .timedOut
        case ECOMM: .communication
        case EREMOTEIO: .remote
        case ESHUTDOWN: .shutDown
        case EAGAIN: .tryAgain
        case ENOBUFS: .noBuffers
        case EFAULT: .fault
        default: nil
        }
    }
}
