import CNetlink

/// One message of a datagram (struct nlmsghdr, netlink(7)).
struct Message {
    /// The message type: RTM_*, NLMSG_*, or the number of a generic netlink family.
    var type: Int32
    /// The flags (NLM_F_*).
    var flags: Int32
    var sequence: UInt32
    /// The bytes after the header.
    var payload: Bytes

    /// Splits a datagram into messages (libnl's nlmsg_ok(), nlmsg_next()). Ends at the first message that
    /// does not fit.
    static func split(_ datagram: [UInt8]) -> [Message] {
        datagram.withUnsafeBytes { buffer in
            guard let base = buffer.baseAddress else { return [] }
            var found: [Message] = []
            var remaining = Int32(clamping: buffer.count)
            var current = UnsafeMutablePointer(mutating: base.assumingMemoryBound(to: nlmsghdr.self))
            while nlmsg_ok(current, remaining) != 0 {
                let start = base.distance(to: UnsafeRawPointer(nlmsg_data(current)))
                let payload = datagram[start..<start + Int(nlmsg_datalen(current))]
                found.append(Message(current.pointee, payload))
                current = nlmsg_next(current, &remaining)
            }
            return found
        }
    }

    private init(_ header: nlmsghdr, _ payload: Bytes) {
        type = Int32(header.nlmsg_type)
        flags = Int32(header.nlmsg_flags)
        sequence = header.nlmsg_seq
        self.payload = payload
    }

    func has(_ flag: Int32) -> Bool { flags & flag != 0 }
}
