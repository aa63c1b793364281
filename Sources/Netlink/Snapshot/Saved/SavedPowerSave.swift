import CNetlink
import Model

/// The power saving of a Wi-Fi interface as it is saved for a bounce (NL80211_CMD_GET_POWER_SAVE).
struct SavedPowerSave: SavedState {
    static let kind = Snapshot.Item.Kind.powerSave

    let index: InterfaceIndex
    let isOn: Bool
    /// The current number of nl80211. The number in a snapshot may be outdated.
    var family: UInt16 = 0

    init?(_ payload: Bytes) {
        guard let message = GenericMessage.parse(payload),
            message.isCommand(NL80211_CMD_GET_POWER_SAVE) || message.isCommand(NL80211_CMD_SET_POWER_SAVE),
            let state = message.attributes[NL80211_ATTR_PS_STATE]?.number(UInt32.self)
        else { return nil }
        isOn = state == NL80211_PS_ENABLED.rawValue
        // The kernel's answer does not contain the interface.
        index = message.attributes[NL80211_ATTR_IFINDEX]?.interfaceIndex ?? InterfaceIndex(rawValue: 0)
    }

    init(isOn: Bool, on index: InterfaceIndex, family: UInt16) {
        self.index = index
        self.family = family
        self.isOn = isOn
    }

    var isAdministrators: Bool { true }
    var indices: [InterfaceIndex] { [index] }

    var request: Request {
        var request = Request.nl80211(NL80211_CMD_SET_POWER_SAVE, family: family, index: index, flags: 0)
        let state = isOn ? NL80211_PS_ENABLED : NL80211_PS_DISABLED
        request.attributes.append(Request.Attribute(NL80211_ATTR_PS_STATE, Array(of: state.rawValue)))
        return request
    }

    func order(_ comparison: Comparison) -> Request? {
        guard let now = comparison.powerSave, now.index == index, now.isOn != isOn else { return nil }
        return SavedPowerSave(isOn: isOn, on: index, family: now.family).request
    }

    func description(_ names: InterfaceNames) -> String { "power save \(isOn ? "on" : "off")" }
}
