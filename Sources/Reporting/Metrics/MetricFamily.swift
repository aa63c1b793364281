import Model
import Toggling

/// A metric family of Prometheus: its name, its type and a function for its values of one interface.
///
/// Names follow Prometheus' conventions (prometheus.io/docs/practices/naming): base units, and `_total` at
/// the end of counters. Counters for all possible events start at 0, because otherwise their first increase
/// would not count.
struct MetricFamily {
    enum Kind: String {
        case counter, gauge, histogram
        /// A summary without quantiles: a sum and a count, whose ratio is the mean.
        case summary
    }

    let name: String
    let kind: Kind
    let help: String
    let samples: (MetricsPage.Link) -> [MetricSample]

    init(
        _ name: String, _ kind: Kind, _ help: String,
        _ samples: @escaping (MetricsPage.Link) -> [MetricSample]
    ) {
        self.name = name
        self.kind = kind
        self.help = help
        self.samples = samples
    }

    static let prefix = "wifi_toggler_"

    /// The families with values for each interface. They are created for each page, so that they need no
    /// memory in between.
    static var all: [MetricFamily] { health + checks + bounces + probes }

    private static var health: [MetricFamily] {
        [
            .init("condition", .gauge, "1 for the condition that the link is in, 0 for the others.") { link in
                Health.Condition.allCases.map { condition in
                    link.sample(
                        ("condition", condition.rawValue), .flag(link.interfaceStatus.condition == condition))
                }
            },
            .init(
                "condition_changes_total", .counter, "How often the link came into this condition."
            ) { link in
                link.counts("condition", Health.Condition.allCases) { link.counters.changes[$0] }
            },
            .init(
                "condition_start_timestamp_seconds", .gauge, "Since when the link is in its condition."
            ) { link in
                [link.sample(link.instant(link.interfaceStatus.since))]
            },
            .init(
                "last_outage_end_timestamp_seconds", .gauge,
                "When the last outage was over, even if that was before the service began."
            ) { link in
                link.lastOutage.map { [link.sample(link.instant($0.end))] } ?? []
            },
            .init("last_outage_duration_seconds", .gauge, "How long the last outage had lasted.") { link in
                link.lastOutage.map { [link.sample(.seconds(max(.zero, $0.end - $0.begin)))] } ?? []
            },
            .init("degraded", .gauge, "Whether the link loses probes, or answers late.") { link in
                link.quality.map { quality in
                    Quality.Degradation.allCases.map {
                        link.sample(("by", $0.rawValue), .flag(quality.degradations.contains($0)))
                    }
                } ?? []
            },
            // Not a base unit: that would be the watt, in values such as 0.00000001. node_exporter uses dBm
            // too.
            .init("signal_dbm", .gauge, "How well the access point was heard at the last check.") { link in
                link.interfaceStatus.signal.map { [link.sample(.number(Int($0)))] } ?? []
            },
        ]
    }

    private static var checks: [MetricFamily] {
        [
            .init("checks_total", .counter, "Checks of the link, by their verdict.") { link in
                link.counts("verdict", Verdict.Conclusion.allCases) { link.counters.checks[$0] }
            },
            .init("faults_total", .counter, "Checks that found the link sick, by the layer at fault.") {
                link in
                link.counts("layer", Layer.allCases) { link.counters.faults[$0] }
            },
            .init("last_check_timestamp_seconds", .gauge, "When the last check ended.") { link in
                link.interfaceStatus.lastCheck.map { [link.sample(link.instant($0.at))] } ?? []
            },
            .init(
                "next_check_timestamp_seconds", .gauge, "When the next check is due at the latest."
            ) { link in
                link.interfaceStatus.lastCheck?.cycle?.next.map { [link.sample(link.instant($0.at))] } ?? []
            },
            .init(
                "hold_active", .gauge, "Whether an administrator holds the link."
            ) { [$0.sample(.flag($0.isStopped(by: .held)))] },
            .init(
                "quiet_active", .gauge, "Whether quiet hours prevent a bounce."
            ) { [$0.sample(.flag($0.isStopped(by: .quietHours)))] },
        ]
    }

    private static var bounces: [MetricFamily] {
        [
            .init(
                "bounces_total", .counter, "Actions on the link, by its state after them."
            ) { link in
                link.counts("outcome", MetricCounters.endings) { link.counters.endings[$0] }
            },
            .init(
                "bounce_causes_total", .counter, "Actions on the link, by their cause."
            ) { link in
                link.counts("cause", ActionCause.labels) { link.counters.causes[$0] }
            },
            .init("bounce_methods_total", .counter, "Methods that were carried out on the link.") { link in
                link.counts("method", Method.allCases) { link.counters.methods[$0] }
            },
            .init(
                "bounce_held_total", .counter,
                "Checks after which nothing was done, by the reason."
            ) { link in
                link.counts("reason", NoBounceReason.Kind.allCases) { link.counters.noBounceReasons[$0] }
            },
            .init(
                "last_bounce_timestamp_seconds", .gauge, "When the last action was over."
            ) { link in
                link.interfaceStatus.lastAction.map { [link.sample(link.instant($0.at))] } ?? []
            },
            .init(
                "last_reboot_timestamp_seconds", .gauge,
                "When the link was checked again after the last reboot by this program."
            ) { link in
                link.interfaceStatus.lastReboot.map {
                    [link.sample(link.instant($0.instant(at: link.present.instant)))]
                } ?? []
            },
            .init("bounce_down_seconds", .histogram, "How long bounces kept the link down.") {
                $0.histogram($0.counters.down)
            },
            .init(
                "bounce_recovery_seconds", .histogram, "The time from raising the link to a good verdict."
            ) { $0.histogram($0.counters.recovery) },
        ]
    }

    private static var probes: [MetricFamily] {
        [
            .init("probes_total", .counter, "Probes, by their kind and result.") { link in
                link.kinds.flatMap { kind, answers in
                    Evidence.Row.Result.allCases.map { result in
                        MetricSample(
                            link.labels + [("probe", kind), ("result", result.rawValue)],
                            .number(answers.results[result] ?? 0))
                    }
                }
            },
            // The mean is enough: latency alone never causes a bounce.
            .init("probe_rtt_seconds", .summary, "How long the answers to probes took.") { link in
                link.kinds.flatMap { kind, answers in
                    let labels = link.labels + [("probe", kind)]
                    return [
                        MetricSample(labels, .seconds(answers.roundTrips), suffix: "_sum"),
                        MetricSample(labels, .number(answers.timed), suffix: "_count"),
                    ]
                }
            },
            .init("probe_loss_ratio", .gauge, "The share of the last probes that was lost.") { link in
                link.quality.flatMap { quality in
                    quality.probes > 0 ? [link.sample(.ratio(quality.lost, of: quality.probes))] : nil
                } ?? []
            },
        ]
    }
}

extension MetricsPage.Link {
    fileprivate var counters: MetricCounters { interfaceStatus.counters }
    /// The last outage that is over, on the current boot clock.
    fileprivate var lastOutage: (begin: Instant, end: Instant)? {
        interfaceStatus.lastOutage.map {
            ($0.begin.instant(at: present.instant), $0.end.instant(at: present.instant))
        }
    }
    fileprivate var quality: Quality? { interfaceStatus.lastCheck?.cycle?.quality }
    fileprivate var labels: [(name: String, value: String)] { [("interface", present.interface)] }

    /// The kinds of probes that were used, in the order of ``MetricCounters/probes``.
    fileprivate var kinds: [(String, MetricCounters.Answers)] {
        MetricCounters.probes.compactMap { kind in counters.probes[kind].map { (kind, $0) } }
    }

    fileprivate func sample(_ value: MetricValue) -> MetricSample { MetricSample(labels, value) }

    fileprivate func sample(_ label: (String, String), _ value: MetricValue) -> MetricSample {
        MetricSample(labels + [label], value)
    }

    fileprivate func counts<Key: RawRepresentable<String>>(
        _ label: String, _ keys: [Key], _ count: (Key) -> Int?
    ) -> [MetricSample] {
        keys.map { sample((label, $0.rawValue), .number(count($0) ?? 0)) }
    }

    fileprivate func counts(_ label: String, _ words: [String], _ count: (String) -> Int?) -> [MetricSample] {
        words.map { sample((label, $0), .number(count($0) ?? 0)) }
    }

    fileprivate func instant(_ instant: Instant) -> MetricValue {
        .instant(nanoseconds: wallNow + (instant - present.now).nanoseconds)
    }

    fileprivate func histogram(_ histogram: Histogram) -> [MetricSample] {
        let buckets = histogram.cumulated.map { bound, count in
            MetricSample(
                labels + [("le", MetricValue.seconds(bound).text)], .number(count), suffix: "_bucket")
        }
        return buckets + [
            MetricSample(labels + [("le", "+Inf")], .number(histogram.count), suffix: "_bucket"),
            MetricSample(labels, .seconds(histogram.sum), suffix: "_sum"),
            MetricSample(labels, .number(histogram.count), suffix: "_count"),
        ]
    }
}
