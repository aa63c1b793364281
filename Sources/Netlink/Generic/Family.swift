import CNetlink
import Model
import Synchronization

/// The current number of a generic netlink family, and the numbers of its multicast groups
/// (CTRL_CMD_NEWFAMILY, linux/genetlink.h). The numbers change when the family's kernel module is loaded
/// again.
struct Family {
    var name: String
    /// The value of CTRL_ATTR_FAMILY_ID: the message type of the family's messages.
    var id: UInt16
    /// The groups in CTRL_ATTR_MCAST_GROUPS, by name.
    var groups: [String: Int32]

    /// Returns nil if the message does not describe a family.
    static func parse(_ payload: Bytes) -> Family? {
        guard let message = GenericMessage.parse(payload), Int(message.command) == CTRL_CMD_NEWFAMILY,
            let name = message.attributes[CTRL_ATTR_FAMILY_NAME]?.text,
            let id = message.attributes[CTRL_ATTR_FAMILY_ID]?.number(UInt16.self)
        else { return nil }
        return Family(name: name, id: id, groups: groups(message.attributes[CTRL_ATTR_MCAST_GROUPS]))
    }

    private static func groups(_ payload: Bytes?) -> [String: Int32] {
        var groups: [String: Int32] = [:]
        for group in payload?.nested.all ?? [] {
            let attributes = group.payload.nested
            guard let name = attributes[CTRL_ATTR_MCAST_GRP_NAME]?.text,
                let number = attributes[CTRL_ATTR_MCAST_GRP_ID]?.number(Int32.self)
            else { continue }
            groups[name] = number
        }
        return groups
    }

    /// Requests all families (CTRL_CMD_GETFAMILY). A request for one family by name would make the kernel
    /// load a missing module, and the caller would wait for modprobe(8).
    static var requestAll: Request {
        var header = genlmsghdr()
        header.cmd = UInt8(CTRL_CMD_GETFAMILY)
        header.version = controlVersion
        return Request(GENL_ID_CTRL, flags: NLM_F_DUMP, header: header)
    }

    /// The lowest version of the controller's messages that reports multicast groups.
    private static let controlVersion: UInt8 = 2
}

/// The number of a generic netlink family, shared by conversations; nil while it is unknown.
final class FamilyNumber: Sendable {
    private let number = Atomic<UInt16>(0)
    private let wasMissing = Atomic<Bool>(false)
    private let remembersAbsence: Bool

    /// - Parameter remembersAbsence: set this for a short-lived process, which ends before a missing module
    ///   could be loaded.
    init(remembersAbsence: Bool = false) { self.remembersAbsence = remembersAbsence }

    /// Whether the kernel lacked the family when last asked, and that answer is still valid.
    /// - Parameter isTold: whether the caller calls ``forgetAbsence()`` when the family appears.
    func isMissing(isTold: Bool) -> Bool {
        (remembersAbsence || isTold) && wasMissing.load(ordering: .relaxed)
    }
    func noteMissing() { wasMissing.store(true, ordering: .relaxed) }
    func forgetAbsence() { wasMissing.store(false, ordering: .relaxed) }

    var value: UInt16? {
        get {
            let value = number.load(ordering: .relaxed)
            return value == 0 ? nil : value
        }
        set { number.store(newValue ?? 0, ordering: .relaxed) }
    }
}

extension Conversation {
    /// The family of this name; nil if the kernel does not have it, or has not loaded its module.
    mutating func family(named name: String) throws(Failure) -> Family? {
        try ask(Family.requestAll, of: generic).lazy
            .compactMap { Family.parse($0.payload) }
            .first { $0.name == name }
    }
}
