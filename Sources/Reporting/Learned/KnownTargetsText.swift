import Model
import Toggling

/// Who has answered where, as the lines of a file: a title, then one line each with the moment of the last
/// answer (seconds since 1970), the network (`NetworkText`), and the target.
///
/// A line that is none of ours is left out: who is not remembered is met again.
public struct KnownTargetsText {
    private static let title = "wifi-toggler learned 1"
    private static let lineFeed = UInt8(ascii: "\n")

    /// The moment on both clocks that ages are counted from. A wall clock that is behind what the file has
    /// seen is not set yet: then the newest line is as of now.
    private let now: Instant
    private let wallNow: Int64
    public private(set) var knownTargets: KnownTargets

    /// - Parameters:
    ///   - bytes: of the file; nil: there is none.
    ///   - wallNow: seconds since 1970.
    public init(_ bytes: [UInt8]?, now: Instant, wallNow: Int64) {
        // Bytes, not characters: a carriage return and its line feed are one Character, and would be no end
        // of a line.
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

    /// What the file is to hold from now on.
    public func bytes(for knownTargets: KnownTargets) -> [UInt8] {
        let lines = knownTargets.entries.map { entry in
            let seconds = wallNow + (entry.answered - now).components.seconds
            return "\(seconds) \(NetworkText.words(entry.network)) \(entry.target)"
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

    /// Whether it can be a line of ours: no probe that the program takes has a control character in its
    /// target.
    private static func isTarget(_ bytes: ArraySlice<UInt8>) -> Bool {
        let delete: UInt8 = 0x7f
        return !bytes.isEmpty && bytes.allSatisfy { $0 >= UInt8(ascii: " ") && $0 != delete }
    }
}
