import CNetlink
import Model

extension NetlinkCommands {
    /// The country code, two capital letters or digits, whose radio rules apply to all radios without rules
    /// of their own (NL80211_CMD_GET_REG, linux/nl80211.h). `00` is the world domain; nil means that the
    /// kernel reports none.
    public func country(_ done: @escaping Completion<String?>) {
        ask({ (kernel) throws(Failure) in try kernel.country() }, done)
    }
}

extension Conversation {
    mutating func country() throws(Failure) -> String? {
        var number = wirelessFamily.value
        if number == nil { number = try family(named: NL80211_GENL_NAME)?.id }
        guard let number else { return nil }
        do throws(Failure) {
            let request = Request.nl80211(NL80211_CMD_GET_REG, family: number, index: nil, flags: 0)
            return try ask(request, of: generic).lazy.compactMap { RegulatoryDomain.parse($0.payload) }.first
        } catch  where error.kind != .timedOut {
            return nil
        }
    }
}

/// Parses nl80211's answer about a regulatory domain.
enum RegulatoryDomain {
    /// Returns the country code; nil if the message has no code, or if the code is not two capital letters or
    /// digits.
    static func parse(_ payload: Bytes) -> String? {
        guard let message = GenericMessage.parse(payload), message.isCommand(NL80211_CMD_GET_REG),
            let country = message.attributes[NL80211_ATTR_REG_ALPHA2]?.text, country.utf8.count == 2,
            country.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x41...0x5a).contains($0) })
        else { return nil }
        return country
    }
}
