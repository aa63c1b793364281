/// A value that is encoded as its text, such as an address. Decoding throws ``DecodingError`` if the text is
/// not valid for the type.
public protocol TextCoded: Codable, CustomStringConvertible {
    /// Parses exactly what `description` writes; otherwise nil.
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
