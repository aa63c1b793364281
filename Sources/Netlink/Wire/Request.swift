import CNetlink

/// A request to the kernel, as a value. libnl converts it to bytes.
struct Request: Equatable, Sendable {
    struct Attribute: Equatable, Sendable {
        var type: Int32
        var payload: [UInt8]

        init(_ type: some BinaryInteger, _ payload: [UInt8]) {
            self.type = Int32(type)
            self.payload = payload
        }

        init<Name: RawRepresentable<UInt32>>(_ type: Name, _ payload: [UInt8]) {
            self.init(type.rawValue, payload)
        }

        /// The attribute as bytes, with its header and padding, for the value of a nested attribute.
        var bytes: [UInt8] {
            let length = UInt16(MemoryLayout<nlattr>.size + payload.count)
            let padding = -payload.count & (Int(NLA_ALIGNTO) - 1)
            return Array(of: nlattr(nla_len: length, nla_type: UInt16(type))) + payload
                + [UInt8](repeating: 0, count: padding)
        }
    }

    var type: Int32
    /// The flags (NLM_F_*).
    var flags: Int32
    /// The fixed part of the message, before the attributes.
    var header: [UInt8]
    var attributes: [Attribute]

    init<Header: BitwiseCopyable>(
        _ type: some BinaryInteger, flags: Int32 = 0, header: Header, attributes: [Attribute] = []
    ) {
        self.type = Int32(type)
        self.flags = flags | NLM_F_REQUEST | NLM_F_ACK
        self.header = Array(of: header)
        self.attributes = attributes
    }

    /// The same request without NLM_F_ACK, for a request that the kernel always answers with exactly one
    /// message: the result or an error. Every other answer ends with an acknowledgement, or with the end of a
    /// dump.
    var forOneMessage: Request {
        var request = self
        request.flags &= ~NLM_F_ACK
        return request
    }

    var isForOneMessage: Bool { flags & NLM_F_ACK == 0 }
    var isDump: Bool { flags & NLM_F_DUMP == NLM_F_DUMP }

    /// An upper bound for the size of the message in bytes. A route with many next hops may need more than
    /// the page that nlmsg_alloc() reserves.
    private var size: Int {
        let alignment = Int(NLMSG_ALIGNTO)
        let overhead = MemoryLayout<nlattr>.size + alignment
        return attributes.reduce(MemoryLayout<nlmsghdr>.size + header.count + alignment) {
            $0 + overhead + $1.payload.count
        }
    }

    /// The message as bytes (libnl's nlmsg_put(), nlmsg_append(), nla_put()); nil if there is not enough
    /// memory.
    func bytes(sequence: UInt32) -> [UInt8]? {
        guard let message = nlmsg_alloc_size(size) else { return nil }
        defer { nlmsg_free(message) }
        guard nlmsg_put(message, UInt32(NL_AUTO_PORT), sequence, type, 0, flags) != nil else { return nil }
        var fixed = header
        guard nlmsg_append(message, &fixed, fixed.count, Int32(NLMSG_ALIGNTO)) == 0 else { return nil }
        for attribute in attributes {
            let count = Int32(attribute.payload.count)
            guard nla_put(message, attribute.type, count, attribute.payload) == 0 else { return nil }
        }
        guard let start = nlmsg_hdr(message) else { return nil }
        return Array(UnsafeRawBufferPointer(start: start, count: Int(start.pointee.nlmsg_len)))
    }
}
