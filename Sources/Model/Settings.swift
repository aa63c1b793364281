/// The validated settings of one interface.
public struct Settings: Codable, Hashable, Sendable {
    /// The time between the cycles of `run`; more than zero.
    public var interval: Duration = .seconds(60)
    /// The methods against a sick link, the gentlest first, each once; empty: the methods that the evidence
    /// calls for (Remedy.swift).
    public var methods: [Method] = []
    /// The methods to try after those that the evidence calls for, the gentlest first, each harsher than a
    /// bounce; empty if `methods` is not empty.
    public var methodsBesideAuto: [Method] = []
    /// The program of `Method.hook`, as an absolute path; nil: none.
    public var hook: String?
    /// How long the link must be sick before `Method.reboot`.
    public var rebootAfter: Duration = .seconds(900)
    /// How long the link is kept down; 0 to 60 s.
    public var delay: Duration = .seconds(3)
    /// The probes; never empty.
    public var probes: [ProbeSpec] = [ProbeSpec(.auto)]
    /// How many probes of one layer must succeed, at least 1; all of them if fewer are configured.
    public var quorum = 1
    /// Whether to bounce even a healthy link; for `run`, this is the plain timer.
    public var isForced = false
    /// Sick verdicts in a row before the link counts as sick; at least 1.
    public var fall = 3
    /// Healthy verdicts in a row before the link counts as healthy again; at least 1.
    public var rise = 2
    /// The time between checks while the link is suspect; more than zero.
    public var recheck: Duration = .seconds(5)
    /// The time-out of one probe; more than zero.
    public var timeout: Duration = .seconds(2)
    /// The share of lost probes, in per cent, at which the link counts as degraded; 0: never, and then random
    /// loss does not raise `Toggler.fall`.
    public var degradedLoss = 20
    /// The median round trip at which the link counts as degraded; 0: never.
    public var degradedLatency: Duration = .milliseconds(500)
    /// How long to wait after a bounce for the operational state, an address and a successful probe; 0: the
    /// program does not wait.
    public var settle: Duration = .seconds(30)
    /// The time between the first two bounces of one outage; it doubles from then on.
    public var backoff: Duration = .seconds(60)
    /// The longest back-off, also the one after useless bounces.
    public var backoffMaximum: Duration = .seconds(3600)
    /// How long the service does not bounce a sick link after boot, and after the interface appeared.
    public var grace: Duration = .seconds(60)
    /// The periods of local time without automatic bounces.
    public var quietHours: [QuietWindow] = []
    /// Whether to bounce even while a user is logged in over the link, and to reboot even while any user is
    /// logged in.
    public var bouncesInUse = false
    /// The most bounces per hour; at least 1.
    public var budget = 6
    /// The most bounces per day, by whatever method; at least 1.
    public var dailyBudget = 24
    /// The layers whose faults lead to a bounce; never the radio layer.
    public var bouncedLayers = LayerSet.bouncedByDefault
    /// Whether to restore routes and addresses that no owner restores.
    public var restores = true
    /// Whether to use fast reconnect after a bounce where possible.
    public var fastReconnects = true
    public var powerSave = PowerSave.leave
    /// Whether to announce the addresses of a healthy link to its neighbours after each check.
    public var announces = false
    /// Whether to only decide and report, and change nothing.
    public var isDryRun = false
    /// Whether to allow interfaces that are not Wi-Fi stations.
    public var allowsAnyInterface = false

    /// Whether a probe goes beyond the gateways.
    public var asksTargets: Bool { probes.contains(where: \.isBeyondGateway) }

    /// Whether a probe consists of ICMP echoes. `auto` sends them, too, but does without them if it must.
    public var sendsEchoes: Bool {
        probes.contains { if case .icmp = $0.method { true } else { false } }
    }

    /// All methods that the user names, including those to try after the ones that the evidence calls for.
    public var namedMethods: [Method] { methods + methodsBesideAuto }

    /// Whether a bounce is among the methods that may be tried.
    public var mayBounce: Bool { methods.isEmpty || methods.contains(.bounce) }

    /// Whether fast reconnect is possible at all. Without a settle time the program does not see the scan.
    public var mayFastReconnect: Bool { fastReconnects && settle > .zero && mayBounce }

    /// Whether the user names ``Method/reboot``.
    public var mayReboot: Bool { namedMethods.contains(.reboot) }

    public init() {}
}
