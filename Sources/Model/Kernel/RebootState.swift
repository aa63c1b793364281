/// What decides, besides the state of the link, whether the machine may be rebooted (`Method.reboot`).
public struct RebootState: Codable, Hashable, Sendable {
    /// The reboots that this program has ordered, the oldest first. A reboot that was ordered in an earlier
    /// boot has a negative instant. Its age counts only the time in which the machine ran, because the wall
    /// clock may be wrong; so the reboot may be older than it seems.
    public var reboots: [Instant]
    /// When the last attempt to reboot failed since this boot; nil: none did.
    public var failedAt: Instant?
    /// The name of a user who is logged in; nil: no user is.
    public var user: String?
    /// Whether a reboot can be recorded. If not, the machine could reboot for ever.
    public var isRecordable: Bool

    /// The name of another interface over which the machine has a default route; nil: there is none.
    public var otherUplink: String?

    public init(
        reboots: [Instant] = [], failedAt: Instant? = nil, user: String? = nil, isRecordable: Bool = true,
        otherUplink: String? = nil
    ) {
        self.reboots = reboots
        self.failedAt = failedAt
        self.user = user
        self.isRecordable = isRecordable
        self.otherUplink = otherUplink
    }

    /// The most reboots within ``lifetime``.
    public static let most = 3
    /// An older reboot is not counted any more.
    public static let lifetime: Duration = .seconds(7 * 86400)
    /// How many reboots are allowed, and within which time.
    private static let limits = [(1, Duration.seconds(86400)), (most, lifetime)]

    /// When the next reboot is allowed again; nil: one is allowed now.
    package func limitEnd(at now: Instant) -> Instant? {
        Self.limits.compactMap { reboots.end(ofBudget: $0, per: $1, at: now) }.max()
    }
}

/// Why the machine is not rebooted although all other methods have failed and the outage has lasted long
/// enough.
public enum NoRebootReason: Encodable, Hashable, Sendable {
    /// The network has never worked on this machine.
    case neverWorked
    /// The kernel has not reported the default routes, so the machine may have another way out.
    case unknownRoutes
    /// A reboot could not be recorded, so the machine could reboot for ever.
    case unrecordable
    /// The machine has been rebooted as often as allowed in a day or a week.
    case limit(until: Instant)
    /// The last attempt to reboot failed.
    case failed(until: Instant)
    /// The machine has a default route over this other interface, too.
    case uplink(String)
    /// This user is logged in.
    case login(String)
}
