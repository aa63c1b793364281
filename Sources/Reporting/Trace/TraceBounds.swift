import Model
import Toggling

// A member that an older trace lacks has its default.
extension Settings: HasDefaults {
    static var defaults: Settings { Settings() }
}

// Checks for values that the types allow but the program never produces. A trace may come from an untrusted
// source, and the core must not receive values that options and parsers would have refused.

extension Trace.Beginning {
    func check() throws(TraceMistake) {
        try settings.check("begins.settings")
        guard knownTargets == KnownTargets(knownTargets.entries) else {
            throw .outOfRange("begins.knownTargets")
        }
        guard limiter.isInBounds else { throw .outOfRange("begins.limiter") }
    }
}

extension Event {
    func check() throws(TraceMistake) {
        switch self {
        case .reconfigured(let settings): try settings.check("event.reconfigured._0")
        case .bounceRequested(let delay?) where delay < .zero:
            throw .outOfRange("event.bounceRequested.delay")
        default: break
        }
    }
}

extension BounceLimiter.Saved {
    fileprivate var isInBounds: Bool {
        self
            == BounceLimiter.Saved(
                bounces: bounces, bouncesInOutage: bouncesInOutage, earliest: earliest,
                healthySince: healthySince, useless: useless, network: network, restarts: restarts,
                inVain: inVain)
    }
}

extension Settings {
    /// More than any option allows.
    private static let longest: Duration = .seconds(366 * 86400)
    private static let counts = 1...1_000_000
    private static let minutes = 1440

    fileprivate func check(_ path: String) throws(TraceMistake) {
        let shortest: Duration = .nanoseconds(1)
        let times: [(String, Duration, least: Duration)] = [
            ("interval", interval, shortest), ("recheck", recheck, shortest), ("timeout", timeout, shortest),
            ("delay", delay, .zero), ("settle", settle, .zero), ("backoff", backoff, .zero),
            ("backoffMaximum", backoffMaximum, .zero), ("grace", grace, .zero),
            ("rebootAfter", rebootAfter, .zero),
            ("degradedLatency", degradedLatency, .zero),
        ]
        for (name, time, least) in times where time < least || time > Self.longest {
            throw .outOfRange("\(path).\(name)")
        }
        for (name, count) in [
            ("fall", fall), ("rise", rise), ("quorum", quorum), ("budget", budget),
            ("dailyBudget", dailyBudget),
        ]
        where !Self.counts.contains(count) {
            throw .outOfRange("\(path).\(name)")
        }
        guard (0...100).contains(degradedLoss) else { throw .outOfRange("\(path).degradedLoss") }
        guard !probes.isEmpty else { throw .outOfRange("\(path).probes") }
        guard zip(methods, methods.dropFirst()).allSatisfy({ $0 < $1 }) else {
            throw .outOfRange("\(path).methods")
        }
        guard zip(methodsBesideAuto, methodsBesideAuto.dropFirst()).allSatisfy({ $0 < $1 }),
            methodsBesideAuto.isEmpty || methods.isEmpty && methodsBesideAuto.allSatisfy({ $0 > .bounce })
        else {
            throw .outOfRange("\(path).methodsBesideAuto")
        }
        guard quietHours.allSatisfy(Self.isInBounds) else { throw .outOfRange("\(path).quietHours") }
    }

    private static func isInBounds(_ window: QuietWindow) -> Bool {
        !window.days.isEmpty && (0..<minutes).contains(window.start) && (1...minutes).contains(window.end)
    }
}
