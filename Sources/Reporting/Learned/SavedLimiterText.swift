import Model
import Toggling

/// The saved state of the bounce limiter as lines of a file: a title, then
///
///     bounced 1800000000 1800000100       the bounces of the last day
///     outage 2                            how many of them in the current outage
///     next 1800000220                     the earliest time of the next one
///     healthy 1800000150                  since when the link is healthy again
///     useless 3 6c6162 10.77.0.1/-        how many in a row changed nothing, and in which network
///     restarted 1800000000                the restarts of owners and resets of radios of the last day
///     vain owner                          methods that did not help in the current outage
///
/// with times in seconds since 1970. A line with an unknown first word is skipped. A time in the future is
/// skipped, too: the clock was wrong then, or is wrong now, and must not delay anything. Only `next` may be
/// in the future; `BounceLimiter.recall` limits it relative to the last bounce.
public enum SavedLimiterText {
    private static let title = "wifi-toggler limiter 1"
    private static let lineFeed = UInt8(ascii: "\n")
    private static let space = UInt8(ascii: " ")
    /// The longest wait in seconds: more than the longest back-off (`--backoff-max`) with its jitter.
    private static let longestWait: Int64 = 40 * 86400

    private enum Key: String {
        case bounced, outage, next, healthy, useless, restarted, vain
    }

    /// Reads the content of the file. Times in it become instants on the boot-time clock.
    /// - Parameters:
    ///   - bytes: the content of the file; nil: there is none.
    ///   - wallNow: the current time in seconds since 1970.
    public static func limiter(_ bytes: [UInt8]?, now: Instant, wallNow: Int64) -> BounceLimiter.Saved {
        // Split as bytes: a carriage return and its line feed are one Character, which would not end a line.
        let lines = bytes?.split(separator: lineFeed) ?? []
        guard let first = lines.first, first.elementsEqual(title.utf8) else { return BounceLimiter.Saved() }
        let oldest = wallNow - BounceLimiter.Saved.lifetime.components.seconds
        let past = { (word: String) -> Instant? in
            guard let seconds = number(word), seconds <= wallNow, seconds > oldest else { return nil }
            return now + .seconds(seconds - wallNow)
        }
        var bounces: [Instant] = []
        var outage = 0
        var earliest: Instant?
        var healthySince: Instant?
        var useless: (count: Int, network: Network)?
        var restarts: [Instant] = []
        var inVain: [Method] = []
        for line in lines.dropFirst() {
            let words = line.split(separator: space, omittingEmptySubsequences: false)
                .map { String(validating: $0, as: UTF8.self) ?? "" }
            let rest = words.dropFirst()
            switch words.first.flatMap(Key.init) {
            case .bounced: bounces += rest.compactMap(past)
            case .outage: outage = single(rest).flatMap(number).map { Int(clamping: $0) } ?? outage
            case .next:
                earliest =
                    single(rest).flatMap(number).map { now + .seconds(wait(until: $0, wallNow)) } ?? earliest
            case .healthy: healthySince = single(rest).flatMap(past) ?? healthySince
            case .useless: useless = row(Array(rest)) ?? useless
            case .restarted: restarts += rest.compactMap(past)
            case .vain: inVain += rest.compactMap(Method.init)
            case nil: break
            }
        }
        return BounceLimiter.Saved(
            bounces: bounces, bouncesInOutage: outage, earliest: earliest, healthySince: healthySince,
            useless: useless?.count ?? 0, network: useless?.network, restarts: restarts, inVain: inVain)
    }

    /// The new content of the file.
    public static func bytes(_ limiter: BounceLimiter.Saved, now: Instant, wallNow: Int64) -> [UInt8] {
        let past = { (instant: Instant) in String(wallNow - (now - instant).roundedUp.components.seconds) }
        var lines = [title]
        if !limiter.bounces.isEmpty {
            lines.append("\(Key.bounced.rawValue) " + limiter.bounces.map(past).joined(separator: " "))
        }
        if limiter.bouncesInOutage > 0 { lines.append("\(Key.outage.rawValue) \(limiter.bouncesInOutage)") }
        if let next = limiter.earliest {
            lines.append("\(Key.next.rawValue) \(wallNow + (next - now).roundedUp.components.seconds)")
        }
        if let since = limiter.healthySince { lines.append("\(Key.healthy.rawValue) \(past(since))") }
        if let network = limiter.network {
            lines.append("\(Key.useless.rawValue) \(limiter.useless) \(NetworkText.description(network))")
        }
        if !limiter.restarts.isEmpty {
            lines.append("\(Key.restarted.rawValue) " + limiter.restarts.map(past).joined(separator: " "))
        }
        if !limiter.inVain.isEmpty {
            lines.append("\(Key.vain.rawValue) " + limiter.inVain.map(\.rawValue).joined(separator: " "))
        }
        return Array(lines.joined(separator: "\n").utf8) + [lineFeed]
    }

    // MARK: One line

    private static func single(_ words: ArraySlice<String>) -> String? {
        words.count == 1 ? words.first : nil
    }

    /// Parses a whole number without a sign; otherwise nil.
    private static func number(_ word: String) -> Int64? {
        word.utf8.allSatisfy(\.isASCIIDigit) ? Int64(word) : nil
    }

    /// The seconds from now to a time, at most `longestWait`; 0 if the time is past.
    private static func wait(until seconds: Int64, _ wallNow: Int64) -> Int64 {
        min(max(0, seconds - wallNow), longestWait)
    }

    private static func row(_ words: [String]) -> (count: Int, network: Network)? {
        guard words.count == 3, let count = number(words[0]), count > 0,
            let network = NetworkText.network(words[1], words[2])
        else { return nil }
        return (Int(clamping: count), network)
    }
}

extension Duration {
    /// The duration in whole seconds, rounded up.
    var roundedUp: Duration { .seconds(components.seconds + (components.attoseconds > 0 ? 1 : 0)) }
}
