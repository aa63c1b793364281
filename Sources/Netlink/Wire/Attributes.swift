import CNetlink
import Model

/// The attributes of a message, or of an attribute that nests others, in the order of the message (struct
/// nlattr, netlink(7)). Walked by libnl: nla_ok(), nla_next(), nla_data(), nla_len(), nla_type().
///
/// For any bytes, the walk ends at the first attribute that does not fit, and keeps those before it; a value
/// of the wrong size counts as absent.
struct Attributes {
    struct Attribute {
        /// Without NLA_F_NESTED and NLA_F_NET_BYTEORDER.
        var type: Int32
        var payload: Bytes
    }

    /// Where an attribute is in the bytes. Of a link's sixty attributes seven are read: only those become
    /// slices.
    private struct Place {
        var type: Int32
        var start: Int32
        var length: Int32
    }

    private let bytes: Bytes
    private let places: [Place]
    /// Room for this many is allocated at once.
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

    /// The payload of the last attribute of this type, as nla_parse() would keep it.
    subscript(_ type: some BinaryInteger) -> Bytes? {
        places.last { $0.type == type }.map(payload)
    }

    private func payload(_ place: Place) -> Bytes {
        let start = bytes.startIndex + Int(place.start)
        return bytes[start..<start + Int(place.length)]
    }

    /// The same for the kernel's named enumerations.
    subscript<Name: RawRepresentable<UInt32>>(_ type: Name) -> Bytes? { self[type.rawValue] }
}

/// The values of attributes.
extension ArraySlice<UInt8> {
    /// A number in host byte order, if the attribute has exactly its width (NLA_U8 … NLA_U64, NLA_S8).
    func number<Number: FixedWidthInteger & BitwiseCopyable>(_ type: Number.Type = Number.self) -> Number? {
        count == MemoryLayout<Number>.size ? structure(Number.self) : nil
    }

    /// Text up to the first NUL (NLA_STRING, NLA_NUL_STRING); bytes that are not UTF-8 are replaced.
    var text: String { String(decoding: prefix { $0 != 0 }, as: UTF8.self) }

    /// The attributes inside (NLA_NESTED).
    var nested: Attributes { Attributes(self) }

    var interfaceIndex: InterfaceIndex? {
        guard let index = number(Int32.self), index > 0 else { return nil }
        return InterfaceIndex(rawValue: index)
    }
}
