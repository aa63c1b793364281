@testable import Model
@testable import Toggling

/// The scans of a virtual world's radio: those of the link's owner, and the toggler's own directed scans.
struct SimulatedScans {
    /// How long a whole scan takes; the owner connects when it is over.
    static let sweep: Duration = .seconds(4)

    /// The scan that the owner begins as soon as the link is up; nil: the owner knows the frequency and does
    /// not scan.
    var afterRaise: Scan?
    /// The answer to `directedScan`, after a tenth of a second; nil: no answer comes.
    var directedScanAnswer: Event? = .directedScanDone(nil)
    /// How long ago the kernel heard the access point, at the time when a scan is to be aborted; nil: the
    /// kernel has forgotten the access point.
    var heardAgo: Duration? = .seconds(3)

    /// The time from a raise to the association.
    var untilAssociation: Duration {
        afterRaise == nil ? SimulatedLink.associationLatency : Self.sweep
    }

    /// How long ago the kernel heard the access point; nil: not since this time.
    func heard(since instant: Instant, at now: Instant) -> Duration? {
        heardAgo.flatMap { now + (.zero - $0) >= instant ? $0 : nil }
    }
}
