import CNetlink
import Model

extension NetlinkCommands {
    /// Switches the power saving of a station off if it is on (NL80211_CMD_GET_POWER_SAVE,
    /// NL80211_CMD_SET_POWER_SAVE; linux/nl80211.h). Any program may switch it on again. Completes with
    /// whether power saving was on; false also if the interface is not Wi-Fi. Fails with EOPNOTSUPP if the
    /// driver cannot read or switch it.
    /// - Parameter isDryRun: whether to read the state only.
    public func switchPowerSaveOff(
        on index: InterfaceIndex, isDryRun: Bool, _ done: @escaping Completion<Bool>
    ) {
        ask(
            { (kernel) throws(Failure) in try kernel.isPowerSaveOn(index) },
            { [weak self] result in
                guard case .success(true) = result, !isDryRun, let self else { return done(result) }
                // The driver may take long, so the request must not block the event loop.
                ask(
                    taking: .blocking,
                    { (kernel) throws(Failure) in try kernel.switchPowerSave(on: false, of: index) },
                    { done($0.map { true }) })
            })
    }
}

extension Conversation {
    /// Reads whether an interface saves power. Returns nil if nl80211's number is unknown, as on a machine
    /// without Wi-Fi.
    mutating func readPowerSave(of index: InterfaceIndex) throws(Failure) -> SavedPowerSave? {
        guard let family = wirelessFamily.value else { return nil }
        let request = Request.nl80211(NL80211_CMD_GET_POWER_SAVE, family: family, index: index, flags: 0)
        return try ask(request, of: generic).lazy.compactMap { SavedPowerSave($0.payload) }.first
            .map { SavedPowerSave(isOn: $0.isOn, on: index, family: family) }
    }

    /// Whether an interface saves power. False also if it is not Wi-Fi, or is gone (ENODEV).
    fileprivate mutating func isPowerSaveOn(_ index: InterfaceIndex) throws(Failure) -> Bool {
        do throws(Failure) {
            return try readPowerSave(of: index)?.isOn ?? false
        } catch  where error.kind == .noSuchDevice {
            return false
        }
    }

    fileprivate mutating func switchPowerSave(
        on isOn: Bool, of index: InterfaceIndex
    ) throws(Failure) {
        guard let family = wirelessFamily.value else { return }
        try order(SavedPowerSave(isOn: isOn, on: index, family: family).request, of: generic)
    }
}
