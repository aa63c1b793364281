import CNetlink
import Model

/// The attributes of a message, or those inside a nested attribute, in the order of the message (struct
/// nlattr, netlink(7)). libnl reads them: nla_ok(), nla_next(), nla_data(), nla_len(), nla_type().
///
/// The bytes may be invalid. Reading ends at the first attribute that does not fit, and keeps those before
/// it. A value of the wrong size counts as absent.
struct Attributes {
    struct Attribute {
        /// The type without the bits NLA_F_NESTED and NLA_F_NET_BYTEORDER.
        var type: Int32
        var payload: Bytes
    }

    /// The position of an attribute in the bytes. A slice is created only for an attribute that is used: a
    /// few of about sixty in a link message.
    private struct Place {
        var type: Int32
        var start: Int32
        var length: Int32
    }

    private let bytes: Bytes
    private let places: [Place]
    /// The most attributes for which memory is reserved in advance.
    private static let usualCount = 64

    init(_ bytes: Bytes) {
        self.bytes = bytes
        places = bytes.withUnsafeBytes { buffer in
            guard let base = buffer.baseAddress else { return [] }
            var found: [Place] = []
            var remaining = Int32(clamping: buffer.count)
            found.reserveCapacity(min(Self.usualCount, buffer.count / MemoryLayout<nlattr>.size))
            var current = base.assumingMemoryBound(to: nlattr.self)
            while nla_ok(current, remaining) != 0 {
                let start = Int32(truncatingIfNeeded: base.distance(to: UnsafeRawPointer(nla_data(current))))
                found.append(Place(type: nla_type(current), start: start, length: nla_len(current)))
                current = UnsafePointer(nla_next(current, &remaining))
            }
            return found
        }
    }

    var all: [Attribute] { places.map { Attribute(type: $0.type, payload: payload($0)) } }

    /// The payload of the last attribute of this type, as with nla_parse(); nil if there is none.
    subscript(_ type: some BinaryInteger) -> Bytes? {
        places.last { $0.type == type }.map(payload)
    }

    private func payload(_ place: Place) -> Bytes {
        let start = bytes.startIndex + Int(place.start)
        return bytes[start..<start + Int(place.length)]
    }

    /// As the other subscript, for the kernel's enumerations, which Swift imports as types.
    subscript<Name: RawRepresentable<UInt32>>(_ type: Name) -> Bytes? { self[type.rawValue] }
}

/// Reads the values of attributes.
extension ArraySlice<UInt8> {
    /// A number in host byte order; nil if the value does not have exactly its width (NLA_U8 … NLA_U64,
    /// NLA_S8).
    func number<Number: FixedWidthInteger & BitwiseCopyable>(_ type: Number.Type = Number.self) -> Number? {
        count == MemoryLayout<Number>.size ? structure(Number.self) : nil
    }

    /// Text up to the first NUL (NLA_STRING, NLA_NUL_STRING); bytes that are not UTF-8 are replaced.
    var text: String { String(decoding: prefix { $0 != 0 }, as: UTF8.self) }

    /// The attributes in this value (NLA_NESTED).
    var nested: Attributes { Attributes(self) }

    /// The index of an interface; nil if the value is not a positive number of 32 bits.
    var interfaceIndex: InterfaceIndex? {
        guard let index = number(Int32.self), index > 0 else { return nil }
        return InterfaceIndex(rawValue: index)
    }
}
