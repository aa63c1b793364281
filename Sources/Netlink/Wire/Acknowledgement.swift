import CNetlink
import Model

/// How the kernel ends a request: with NLMSG_ERROR, which is the acknowledgement if its errno is 0, or with
/// NLMSG_DONE at the end of a dump. Both begin with a negative errno. If NLM_F_ACK_TLVS is set, they end with
/// attributes that contain the kernel's error text (NETLINK_EXT_ACK, netlink(7)).
enum Acknowledgement {
    /// The result of a request; nil if the message does not end a request.
    static func parse(_ message: Message) -> Result<Void, Failure>? {
        guard message.type == NLMSG_ERROR || message.type == NLMSG_DONE else { return nil }
        guard let code = message.payload.structure(Int32.self) else {
            // A dump may end with an empty NLMSG_DONE. An NLMSG_ERROR without a number is invalid.
            return message.type == NLMSG_DONE ? .success(()) : .failure(.withoutErrno)
        }
        guard code != 0 else { return .success(()) }
        return .failure(
            Failure(errno: code == .min ? .max : abs(code), description: description(of: message)))
    }

    /// The kernel's error text (NLMSGERR_ATTR_MSG); nil if there is none.
    private static func description(of message: Message) -> String? {
        guard message.has(NLM_F_ACK_TLVS) else { return nil }
        let start = message.type == NLMSG_DONE ? MemoryLayout<Int32>.size : attributesStart(of: message)
        let text = Attributes(message.payload.dropFirst(start))[NLMSGERR_ATTR_MSG]?.text
        return text?.isEmpty == true ? nil : text
    }

    /// The position of the attributes in the payload. struct nlmsgerr repeats the header of the request, and
    /// without NLM_F_CAPPED also its payload.
    private static func attributesStart(of message: Message) -> Int {
        let header = MemoryLayout<nlmsgerr>.size
        guard !message.has(NLM_F_CAPPED), let error = message.payload.structure(nlmsgerr.self) else {
            return header
        }
        let request = max(Int(error.msg.nlmsg_len), MemoryLayout<nlmsghdr>.size)
        let alignment = Int(NLMSG_ALIGNTO)
        return MemoryLayout<Int32>.size + (request + alignment - 1) / alignment * alignment
    }
}
