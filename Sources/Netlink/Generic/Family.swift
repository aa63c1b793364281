import CNetlink
import Model
import Synchronization

/// The current number of a generic netlink family, and those of its multicast groups: they change when its
/// module is loaded again (CTRL_CMD_NEWFAMILY, linux/genetlink.h).
struct Family {
    var name: String
    /// CTRL_ATTR_FAMILY_ID: the type of the family's messages.
    var id: UInt16
    /// CTRL_ATTR_MCAST_GROUPS by name.
    var groups: [String: Int32]

    /// nil: not the announcement of a family.
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

    /// CTRL_CMD_GETFAMILY, for all families. If asked for one by name, the kernel would load a missing
    /// module, and the caller would wait for modprobe(8).
    static var requestAll: Request {
        var header = genlmsghdr()
        header.cmd = UInt8(CTRL_CMD_GETFAMILY)
        header.version = controlVersion
        return Request(GENL_ID_CTRL, flags: NLM_F_DUMP, header: header)
    }

    /// The version of the controller's messages that has multicast groups.
    private static let controlVersion: UInt8 = 2
}

/// The number of a family, kept between conversations; 0: not known.
final class FamilyNumber: Sendable {
    private let number = Atomic<UInt16>(0)
    private let wasMissing = Atomic<Bool>(false)
    private let remembersAbsence: Bool

    /// - Parameter remembersAbsence: for a process that ends before a module could be loaded.
    init(remembersAbsence: Bool = false) { self.remembersAbsence = remembersAbsence }

    /// The kernel was asked, and has no such family, or had none.
    /// - Parameter isTold: ``forgetAbsence()`` is called when the family appears.
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
    /// nil: the kernel has no such family, or its module is not loaded.
    mutating func family(named name: String) throws(Failure) -> Family? {
        try ask(Family.requestAll, of: generic).lazy
            .compactMap { Family.parse($0.payload) }
            .first { $0.name == name }
    }
}
