import Model

/// Facts that decide whether the service could reboot the machine because of an interface. They contain no
/// judgement. A fact that could not be determined is nil.
public struct RebootFacts: Hashable, Sendable {
    /// The record of reboots.
    public enum Record: Hashable, Sendable {
        case read(RebootState)
        case damaged(file: String)
        case unreadable(file: String, error: String)
        /// A reboot may undo what is written into the state directory.
        case volatile(directory: String)
    }

    public var access = RebootAccess()
    public var record: Record?
    /// When the facts were collected.
    public var now = Instant.boot
    /// The targets that have answered to the service.
    public var knownTargets: KnownTargets?
    public var otherUplink: String?
    // The settings --reboot-after, --settle and --delay.
    public var after: Duration = .zero
    public var settle: Duration = .zero
    public var delay: Duration = .zero
    /// The other methods, which are tried before the reboot.
    public var others: [Method] = []

    public init() {}
}
