/// A value that is coded as its text, such as an address. Decoding fails if the text is not valid for the
/// type.
public protocol TextCoded: Codable, CustomStringConvertible {
    /// Parses what `description` writes; nil: the text is something else.
    init?(canonical text: String)
}

extension TextCoded {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        guard let value = Self(canonical: try container.decode(String.self)) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a \(Self.self)")
        }
        self = value
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
