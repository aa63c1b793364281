import Model
import Toggling

/// All metrics of the service in Prometheus' text format (version 0.0.4), as node_exporter's textfile
/// collector reads it.
public struct MetricsPage {
    /// One interface that exists. A class, because it is large, and each metric family gets it.
    public final class Link {
        let interfaceStatus: InterfaceStatus
        let present: StatusJSON.Present
        /// `present.now` on the wall clock, in nanoseconds since 1970-01-01T00:00:00Z.
        let wallNow: Int64

        public init(_ interfaceStatus: InterfaceStatus, _ present: StatusJSON.Present, wallNow: Int64) {
            (self.interfaceStatus, self.present, self.wallNow) = (interfaceStatus, present, wallNow)
        }

        /// Whether a reason of this kind prevents bounces at present: a hold, or quiet hours.
        func isStopped(by kind: NoBounceReason.Kind) -> Bool {
            present.noBounceReasons.contains { $0.kind == kind }
        }
    }

    /// The beginning of every page.
    public static var beginning: String { "# HELP \(MetricFamily.prefix)build_info " }

    private let version: String
    private let interfaces: [String]
    private let started: Int64
    private let links: [Link]

    /// - Parameters:
    ///   - version: the version of the program.
    ///   - interfaces: the names and patterns with which the service was started; empty: none. They
    ///     distinguish the series of this service from those of another service on the machine.
    ///   - started: when the service began, in nanoseconds since 1970-01-01T00:00:00Z.
    ///   - links: the interfaces that exist; an interface that is gone has no metrics.
    public init(version: String, interfaces: [String], started: Int64, _ links: [Link]) {
        self.version = version
        self.interfaces = interfaces
        self.started = started
        self.links = links
    }

    /// The whole page, as lines with their line feeds.
    public var text: String {
        var text = ""
        write(
            "build_info", .gauge, "The version of wifi-toggler; always 1.",
            [MetricSample([("version", version)] + purpose, .number(1))], to: &text)
        write(
            "start_time_seconds", .gauge, "When the service began; everything is counted since then.",
            [MetricSample(purpose, .instant(nanoseconds: started))], to: &text)
        for family in MetricFamily.all {
            write(family.name, family.kind, family.help, links.flatMap(family.samples), to: &text)
        }
        return text
    }

    private var purpose: [(String, String)] {
        interfaces.isEmpty ? [] : [("interfaces", interfaces.joined(separator: ","))]
    }

    private func write(
        _ name: String, _ kind: MetricFamily.Kind, _ help: String, _ samples: [MetricSample],
        to text: inout String
    ) {
        let name = MetricFamily.prefix + name
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
        for sample in samples { sample.write(name, to: &text) }
    }
}
