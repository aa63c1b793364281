import Model

/// The helper's answer to one ``HelperRequest``.
///
/// The helper (wifi-toggler-prober) reads data from the network, so an attacker may control the helper.
/// Therefore its answers are parsed strictly, must be short and printable, and can only report faults of the
/// layers dns, internet and portal.
public struct HelperAnswer: Hashable, Sendable {
    /// The result of the question.
    public enum Outcome: Hashable, Sendable {
        /// The expected answer came. The round trip begins when the helper has read the request, and leaves
        /// out the time in which it only waited for more addresses.
        case answered(roundTrip: Duration, detail: String)
        /// The question was sent, and no complete answer came.
        case unanswered(detail: String)
        /// An answer came, but not the expected one: the fault is at this layer.
        case refuted(Fault, roundTrip: Duration, detail: String)
        /// The question could not be asked, or its answer could not be judged. `code` is the error number
        /// (errno(3)), 0 if there is none.
        case unknown(code: Int32, description: String)
    }

    /// The faults that an answer can show. All but `nameServer` are named after their layer.
    public enum Fault: UInt8, Hashable, Sendable, CaseIterable {
        case dns = 1
        case internet, portal
        /// A fault of the layer dns, too: the server itself failed (SERVFAIL), or serves no names.
        case nameServer
    }

    public var id: UInt32
    public var outcome: Outcome

    public init(id: UInt32, _ outcome: Outcome) {
        self.id = id
        self.outcome = outcome
    }

    /// The longest detail in bytes.
    public static let longestDetail = 240
    /// The longest message in bytes; a longer one is invalid.
    public static let longest = 512
    /// The longest round trip in microseconds; a longer one is invalid.
    private static let longestRoundTrip: UInt32 = 3_600_000_000
    /// Linux has no error number above this (MAX_ERRNO, linux/err.h).
    private static let highestCode: UInt16 = 4095
}

// MARK: On the wire

extension HelperAnswer {
    private static let magic: UInt8 = 0x41  // A

    private enum Kind: UInt8 {
        case answered = 1
        case unanswered, refuted, unknown
    }

    /// The answer as a message. The detail is made printable and cut to its longest length.
    public var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.number(Self.magic)
        writer.number(id)
        switch outcome {
        case .answered(let roundTrip, let detail):
            writer.number(Kind.answered.rawValue)
            writer.number(Self.microseconds(roundTrip))
            Self.write(detail, &writer)
        case .unanswered(let detail):
            writer.number(Kind.unanswered.rawValue)
            Self.write(detail, &writer)
        case .refuted(let fault, let roundTrip, let detail):
            writer.number(Kind.refuted.rawValue)
            writer.number(fault.rawValue)
            writer.number(Self.microseconds(roundTrip))
            Self.write(detail, &writer)
        case .unknown(let code, let words):
            writer.number(Kind.unknown.rawValue)
            writer.number(min(UInt16(clamping: code), Self.highestCode))
            Self.write(words, &writer)
        }
        return writer.bytes
    }

    private static func write(_ detail: String, _ writer: inout ByteWriter) {
        writer.text(Printable.text(detail.utf8, limit: longestDetail), limit: longestDetail)
    }

    private static func microseconds(_ duration: Duration) -> UInt32 {
        let (seconds, attoseconds) = duration.components
        let whole = min(max(0, seconds), Int64(longestRoundTrip / 1_000_000))
        return min(UInt32(clamping: whole * 1_000_000 + attoseconds / 1_000_000_000_000), longestRoundTrip)
    }

    /// Parses a message; nil: it is not exactly one valid answer.
    public init?(_ bytes: [UInt8]) {
        guard bytes.count <= Self.longest else { return nil }
        var reader = ByteReader(bytes)
        guard reader.number(UInt8.self) == Self.magic, let id = reader.number(UInt32.self),
            let kind = reader.number(UInt8.self).flatMap(Kind.init),
            let outcome = Self.outcome(kind, &reader), reader.isAtEnd
        else { return nil }
        self.init(id: id, outcome)
    }

    private static func outcome(_ kind: Kind, _ reader: inout ByteReader) -> Outcome? {
        switch kind {
        case .answered:
            guard let roundTrip = roundTrip(&reader), let detail = detail(&reader) else { return nil }
            return .answered(roundTrip: roundTrip, detail: detail)
        case .unanswered: return detail(&reader).map { .unanswered(detail: $0) }
        case .refuted:
            guard let fault = reader.number(UInt8.self).flatMap(Fault.init),
                let roundTrip = roundTrip(&reader), let detail = detail(&reader)
            else { return nil }
            return .refuted(fault, roundTrip: roundTrip, detail: detail)
        case .unknown:
            guard let code = reader.number(UInt16.self), code <= highestCode, let words = detail(&reader)
            else { return nil }
            return .unknown(code: Int32(code), description: words)
        }
    }

    private static func roundTrip(_ reader: inout ByteReader) -> Duration? {
        guard let microseconds = reader.number(UInt32.self), microseconds <= longestRoundTrip else {
            return nil
        }
        return .microseconds(Int64(microseconds))
    }

    private static func detail(_ reader: inout ByteReader) -> String? {
        guard let text = reader.text(limit: longestDetail), !text.isEmpty else { return nil }
        return text
    }
}
