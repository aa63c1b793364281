import Model

/// What the user wants of one interface: validated, immutable.
public struct Settings: Codable, Hashable, Sendable {
    /// Time between the cycles of `run`; more than zero.
    public var interval: Duration = .seconds(60)
    /// What is tried against a sick link, one after the other; never empty, the gentlest first, each once.
    public var methods: [Method] = [.bounce]
    /// The program of `Method.hook`: an absolute path.
    public var hook: String?
    /// How long the link is held down; 0 to 60 s.
    public var delay: Duration = .seconds(3)
    /// Never empty.
    public var probes: [ProbeSpec] = [ProbeSpec(.auto)]
    /// So many of the probes of one layer must succeed, or all where fewer are configured; at least 1.
    public var quorum = 1
    /// Bounce even when healthy: the plain timer.
    public var isForced = false
    /// Sick verdicts in a row before the link counts as sick; at least 1.
    public var fall = 3
    /// Healthy verdicts in a row before the link counts as healthy again; at least 1.
    public var rise = 2
    /// Time between probes while suspect; more than zero.
    public var recheck: Duration = .seconds(5)
    /// For one probe; more than zero.
    public var timeout: Duration = .seconds(2)
    /// The share of probes that has to be lost for the link to be called degraded, in per cent; 0: it never is, and
    /// chance is not reckoned with.
    public var degradedLoss = 20
    /// The median round trip that has to be reached for the link to be called degraded; 0: it never is.
    public var degradedLatency: Duration = .milliseconds(500)
    /// How long to wait after a bounce for the operational state, an address and a good probe; 0: not at all.
    public var settle: Duration = .seconds(30)
    /// Between the first two bounces of one outage; doubles from then on.
    public var backoff: Duration = .seconds(60)
    /// The longest time between two bounces of one outage.
    public var backoffMaximum: Duration = .seconds(3600)
    /// How long after the machine has started, and after the interface has appeared, the service leaves a sick
    /// link to its owner.
    public var grace: Duration = .seconds(60)
    /// When nothing is bounced by itself, in local time.
    public var quietHours: [QuietWindow] = []
    /// Also while somebody is logged in over the link.
    public var bouncesInUse = false
    /// Bounces per hour at most; at least 1.
    public var budget = 6
    /// The layers whose faults are bounced on; never the radio's.
    public var bouncedLayers = Policy.bouncedLayers
    /// Put back routes and addresses that nobody else does.
    public var restores = true
    /// Shorten the way back after a bounce where that can be done.
    public var fastReconnects = true
    /// Decide and say, change nothing.
    public var isDryRun = false
    /// Also interfaces that are not Wi-Fi.
    public var allowsAnyInterface = false

    /// Whether a probe asks somebody beyond the gateways.
    public var asksTargets: Bool { probes.contains(where: \.isBeyondGateway) }

    /// Whether anything follows from what becomes of single probes.
    var watchesQuality: Bool { degradedLoss > 0 || degradedLatency > .zero }

    public init() {}
}
