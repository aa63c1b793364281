import CNetlink
import Model

/// How the kernel ends a request: NLMSG_ERROR (with errno 0 it is the acknowledgement), or NLMSG_DONE at the
/// end of a dump. Both begin with a negative errno and, if NLM_F_ACK_TLVS is set, end with attributes that
/// contain the kernel's message (NETLINK_EXT_ACK).
enum Acknowledgement {
    /// nil: the message does not end a request.
    static func parse(_ message: Message) -> Result<Void, Failure>? {
        guard message.type == NLMSG_ERROR || message.type == NLMSG_DONE else { return nil }
        guard let code = message.payload.structure(Int32.self) else {
            // A dump may end with an empty NLMSG_DONE; an error without a number is unreadable.
            return message.type == NLMSG_DONE ? .success(()) : .failure(.nonsense("an error without errno"))
        }
        guard code != 0 else { return .success(()) }
        return .failure(
            Failure(errno: code == .min ? .max : abs(code), description: description(of: message)))
    }

    /// NLMSGERR_ATTR_MSG.
    private static func description(of message: Message) -> String? {
        guard message.has(NLM_F_ACK_TLVS) else { return nil }
        let start = message.type == NLMSG_DONE ? MemoryLayout<Int32>.size : attributesStart(of: message)
        let text = Attributes(message.payload.dropFirst(start))[NLMSGERR_ATTR_MSG]?.text
        return text?.isEmpty == true ? nil : text
    }

    /// struct nlmsgerr repeats the request's header, and its payload as well where NLM_F_CAPPED is not set.
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
