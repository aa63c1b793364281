import Model

/// The settings of one interface: validated, immutable.
public struct Settings: Codable, Hashable, Sendable {
    /// The time between the cycles of `run`; more than zero.
    public var interval: Duration = .seconds(60)
    /// The methods against a sick link, in this order, the gentlest first, each once; empty: those that the
    /// evidence calls for (Remedy.swift).
    public var methods: [Method] = []
    /// The methods that follow those that the evidence calls for, if these did not help: only with empty `methods`, and
    /// each harsher than a bounce.
    public var lastResorts: [Method] = []
    /// The program of `Method.hook`: an absolute path.
    public var hook: String?
    /// How long an outage lasts before `Method.reboot`.
    public var rebootAfter: Duration = .seconds(900)
    /// How long the link is kept down; 0 to 60 s.
    public var delay: Duration = .seconds(3)
    /// Never empty.
    public var probes: [ProbeSpec] = [ProbeSpec(.auto)]
    /// How many probes of one layer must succeed, or all if fewer are configured; at least 1.
    public var quorum = 1
    /// Bounce even a healthy link: the plain timer.
    public var isForced = false
    /// Sick verdicts in a row before the link counts as sick; at least 1.
    public var fall = 3
    /// Healthy verdicts in a row before the link counts as healthy again; at least 1.
    public var rise = 2
    /// The time between checks while the link is suspect; more than zero.
    public var recheck: Duration = .seconds(5)
    /// The time-out of one probe; more than zero.
    public var timeout: Duration = .seconds(2)
    /// The share of lost probes, in per cent, at which the link counts as degraded; 0: never, and random loss
    /// does not lengthen the fall.
    public var degradedLoss = 20
    /// The median round trip at which the link counts as degraded; 0: never.
    public var degradedLatency: Duration = .milliseconds(500)
    /// How long to wait after a bounce for the operational state, an address and a successful probe; 0: not
    /// at all.
    public var settle: Duration = .seconds(30)
    /// The time between the first two bounces of one outage; it doubles from then on.
    public var backoff: Duration = .seconds(60)
    /// The longest time between two bounces of one outage.
    public var backoffMaximum: Duration = .seconds(3600)
    /// How long after boot, and after the interface appeared, the service leaves a sick link to its owner.
    public var grace: Duration = .seconds(60)
    /// When there are no automatic bounces, in local time.
    public var quietHours: [QuietWindow] = []
    /// Bounce even while a user is logged in over the link.
    public var bouncesInUse = false
    /// The most bounces per hour; at least 1.
    public var budget = 6
    /// The most bounces per day, by whatever method; at least 1.
    public var dailyBudget = 24
    /// The layers whose faults are bounced; never the radio's.
    public var bouncedLayers = Policy.bouncedLayers
    /// Restore routes and addresses that no owner restores.
    public var restores = true
    /// Use fast reconnect after a bounce where possible.
    public var fastReconnects = true
    public var powerSave = PowerSave.leave
    /// Announce the addresses of a healthy link to its neighbours with each check.
    public var announces = false
    /// Decide and report, change nothing.
    public var isDryRun = false
    /// Allow interfaces that are not Wi-Fi.
    public var allowsAnyInterface = false

    /// Whether a probe goes beyond the gateways.
    public var asksTargets: Bool { probes.contains(where: \.isBeyondGateway) }

    /// Whether the results of single probes are used at all.
    var watchesQuality: Bool { degradedLoss > 0 || degradedLatency > .zero }

    public init() {}
}
