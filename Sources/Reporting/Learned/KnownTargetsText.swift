import Model

/// The known targets as lines of a file: a title, then one line for each target with the time of its last
/// answer (seconds since 1970), the network (`NetworkText`), and the target.
///
/// An invalid line is skipped, so that its target is unknown until it answers again.
public struct KnownTargetsText {
    private static let title = "wifi-toggler learned 1"
    private static let lineFeed = UInt8(ascii: "\n")

    /// The current time on both clocks, from which ages are computed. If the wall clock is behind the newest
    /// time in the file, it is not set yet. Then the newest time in the file counts as the current time.
    private let now: Instant
    private let wallNow: Int64
    public private(set) var knownTargets: KnownTargets

    /// Reads the content of the file.
    /// - Parameters:
    ///   - bytes: the content of the file; nil: there is none.
    ///   - wallNow: the current time in seconds since 1970.
    public init(_ bytes: [UInt8]?, now: Instant, wallNow: Int64) {
        // Split as bytes: a carriage return and its line feed are one Character, which would not end a line.
        let lines = bytes?.split(separator: Self.lineFeed) ?? []
        let isOurs = lines.first.map { $0.elementsEqual(Self.title.utf8) } ?? false
        let parsed = isOurs ? lines.dropFirst().compactMap(Self.parse) : []
        let reference = max(wallNow, parsed.map(\.seconds).max() ?? wallNow)
        self.now = now
        self.wallNow = reference
        knownTargets = KnownTargets(
            parsed.compactMap { line in
                let age = reference - line.seconds
                guard age < KnownTargets.lifetime.components.seconds else { return nil }
                return KnownTargets.Entry(
                    network: line.network, target: line.target, answered: now + .seconds(-age))
            })
    }

    /// The new content of the file.
    public func bytes(for knownTargets: KnownTargets) -> [UInt8] {
        let lines = knownTargets.entries.map { entry in
            let seconds = wallNow + (entry.answered - now).components.seconds
            return "\(seconds) \(NetworkText.description(entry.network)) \(entry.target)"
        }
        return Array(([Self.title] + lines).joined(separator: "\n").utf8) + [Self.lineFeed]
    }

    // MARK: One line

    private static func parse(_ line: ArraySlice<UInt8>) -> (
        seconds: Int64, network: Network, target: String
    )? {
        let fields = line.split(separator: UInt8(ascii: " "), maxSplits: 3, omittingEmptySubsequences: false)
        let words = fields.compactMap { String(validating: $0, as: UTF8.self) }
        guard fields.count == 4, words.count == 4, let seconds = Int64(words[0]), seconds >= 0,
            isTarget(fields[3]), let network = NetworkText.network(words[1], words[2])
        else { return nil }
        return (seconds, network, words[3])
    }

    /// Whether the bytes can be a target: no probe that the program accepts has a control character in its
    /// target.
    private static func isTarget(_ bytes: ArraySlice<UInt8>) -> Bool {
        let delete: UInt8 = 0x7f
        return !bytes.isEmpty && bytes.allSatisfy { $0 >= UInt8(ascii: " ") && $0 != delete }
    }
}
