/// What decides whether the machine may be rebooted (`Method.reboot`), beside the state of the link.
public struct RebootState: Codable, Hashable, Sendable {
    /// The reboots that this program has ordered, the oldest first; before the boot, those of earlier ones. They are
    /// counted in time that the machine has run, which no wrong clock falsifies: they may be older.
    public var reboots: [Instant]
    /// When the last attempt of this boot failed; nil: none did.
    public var failedAt: Instant?
    /// A user who is logged in; nil: nobody.
    public var user: String?
    /// Whether a reboot can be recorded: without that, the machine could reboot for ever.
    public var isRecordable: Bool

    public init(
        reboots: [Instant] = [], failedAt: Instant? = nil, user: String? = nil, isRecordable: Bool = true
    ) {
        self.reboots = reboots
        self.failedAt = failedAt
        self.user = user
        self.isRecordable = isRecordable
    }

    /// The most reboots that any limit counts.
    public static let most = 3
    /// An older one is not counted any more.
    public static let lifetime: Duration = .seconds(7 * 86400)
}

/// Why the machine is not rebooted, although all else has failed for long enough.
public enum RebootObstacle: Codable, Hashable, Sendable {
    /// The network has never worked on this machine.
    case neverWorked
    /// No reboot could be recorded.
    case unrecordable
    /// As many reboots as are allowed in a day or a week.
    case limit(until: Instant)
    /// The last attempt failed.
    case failed(until: Instant)
    /// This user is logged in.
    case login(String)
}
