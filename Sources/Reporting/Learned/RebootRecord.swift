import Model

/// The reboots that this program has ordered, as a file that survives them: a title, then
///
///     written 3c9e17ab-… 5400             in which boot, and how many seconds after its start
///     ago 12 90000                        for each reboot of the last week, its age at that time, in seconds
///     last 3c9e17ab-… wlan0 {"verdict":…} the last reboot, until its result is reported: the boot in which it
///                                         was ordered, for which link, and why
///
/// Ages count only the time for which the machine is known to have run, because a clock may be wrong after a
/// boot. So a reboot may be older than it seems.
public struct RebootRecord: Hashable, Sendable {
    /// A reboot whose result is not reported yet.
    public struct Last: Hashable, Sendable {
        /// The identifier of the boot in which the reboot was ordered.
        public var boot: String
        public var interface: String
        public var cause: RecordedVerdict

        public init(boot: String, interface: String, cause: RecordedVerdict) {
            self.boot = boot
            self.interface = interface
            self.cause = cause.bare
        }
    }

    /// The reboots as instants on the clock of the current boot, the oldest first.
    public var reboots: [Instant]
    public var last: Last?

    public init(reboots: [Instant] = [], last: Last? = nil) {
        self.reboots = reboots
        self.last = last
    }

    private static let title = "wifi-toggler reboots 1"
    private static let lineFeed = UInt8(ascii: "\n")
    private static let longestID = 64
    private static let longestName = 64
    /// The longest time in seconds: a century.
    private static let longestTime: Int64 = 36_500 * 86_400

    private enum Key: String { case written, ago, last }

    /// Parses the file, whose content is untrusted.
    /// - Parameters:
    ///   - bytes: the content of the file; nil: there is none.
    ///   - boot: the identifier of the current boot.
    /// - Returns: the record; nil: the file is damaged, or not one of this program.
    public static func record(_ bytes: [UInt8]?, boot: String) -> RebootRecord? {
        guard let bytes else { return RebootRecord() }
        let lines = bytes.split(separator: lineFeed).map { String(validating: $0, as: UTF8.self) ?? "" }
        guard lines.first == title, lines.count > 1 else { return nil }
        var written: Instant?
        var ages: [Duration] = []
        var last: Last?
        for line in lines.dropFirst() {
            let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
            switch words.first.flatMap(Key.init) {
            case .written:
                guard written == nil, words.count == 3, isID(words[1]), let since = time(words[2]) else {
                    return nil
                }
                written = words[1] == boot ? .boot + since : .boot
            case .ago:
                let known = words.dropFirst().map(time)
                guard ages.isEmpty, 1...RebootState.most ~= known.count, !known.contains(nil) else {
                    return nil
                }
                ages = known.compactMap(\.self)
            case .last:
                guard last == nil, let parsed = self.last(line) else { return nil }
                last = parsed
            case nil: return nil
            }
        }
        return written.map { written in
            RebootRecord(reboots: ages.map { written + (.zero - $0) }.sorted(), last: last)
        }
    }

    /// The new content of the file.
    public func bytes(boot: String, now: Instant) -> [UInt8] {
        let recent = reboots.filter { now - $0 < RebootState.lifetime }.suffix(RebootState.most)
        var lines = [Self.title, "\(Key.written.rawValue) \(boot) \(now.nanoseconds / 1_000_000_000)"]
        if !recent.isEmpty {
            // The content of the file is untrusted, so the time of a reboot may be in the future.
            let ages = recent.map { String(max(.zero, now - $0).components.seconds) }
            lines.append("\(Key.ago.rawValue) " + ages.joined(separator: " "))
        }
        if let last {
            let cause = last.cause.json.stored.line
            lines.append("\(Key.last.rawValue) \(last.boot) \(last.interface) \(cause)")
        }
        return Array(lines.joined(separator: "\n").utf8) + [Self.lineFeed]
    }

    private static func last(_ line: String) -> Last? {
        let words = line.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false)
        guard words.count == 4, isID(String(words[1])), 1...longestName ~= words[2].utf8.count,
            let json = try? JSONReader.value(of: Array(words[3].utf8)[...]), let cause = RecordedVerdict(json)
        else { return nil }
        return Last(boot: String(words[1]), interface: String(words[2]), cause: cause)
    }

    /// Whether the word may be a boot identifier (random(4)).
    private static func isID(_ word: String) -> Bool {
        1...longestID ~= word.utf8.count
            && word.utf8.allSatisfy { $0.isASCIIDigit || $0.isASCIILowercase || $0 == UInt8(ascii: "-") }
    }

    private static func time(_ word: String) -> Duration? {
        guard !word.isEmpty, word.utf8.allSatisfy(\.isASCIIDigit), let seconds = Int64(word),
            seconds <= longestTime
        else { return nil }
        return .seconds(seconds)
    }
}
