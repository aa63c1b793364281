import CNetlink
import Model

/// A message of a generic netlink family: struct genlmsghdr, followed by attributes (linux/genetlink.h).
struct GenericMessage {
    /// The command: CTRL_CMD_* or NL80211_CMD_*, depending on the family.
    var command: UInt8
    var attributes: Attributes

    static func parse(_ payload: Bytes) -> GenericMessage? {
        guard let header = payload.structure(genlmsghdr.self) else { return nil }
        return GenericMessage(
            command: header.cmd, attributes: Attributes(payload.following(genlmsghdr.self)))
    }

    func isCommand(_ wanted: nl80211_commands) -> Bool { UInt32(command) == wanted.rawValue }
}
