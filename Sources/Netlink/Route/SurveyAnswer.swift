import Platform
import Toggling

/// What the kernel says of an interface.
struct SurveyAnswer: Sendable {
    /// Everything but the radio's block, which is not asked through netlink.
    var survey: Survey
    /// Where they were read for it, and when.
    var reading: (surroundings: Surroundings, at: Instant)?
}

extension Conversation {
    /// - Parameters:
    ///   - known: its surroundings, where they need not be read.
    ///   - isToldOfFamily: where nl80211 was missing, it need not be looked for again.
    mutating func survey(
        _ index: InterfaceIndex, _ known: Surroundings?, isToldOfFamily: Bool, asksForPowerSave: Bool
    ) throws(Failure) -> SurveyAnswer {
        let now = now
        foresee(questions(index, known))
        let link = try link(index)
        var wireless = try wireless(index, isToldOfFamily: isToldOfFamily)
        if link.isUp, let found = wireless { wireless?.heard = try heardNetworks(by: found, index) }
        let surroundings = if let known { known } else { try surroundings(of: index) }
        var survey = Survey(
            link: link, wireless: wireless, addresses: surroundings.addresses,
            gateways: try gateways(surroundings.gateways, on: index))
        if asksForPowerSave, wireless?.role == .station { survey.savesPower = try savesPower(index) }
        return SurveyAnswer(survey: survey, reading: known == nil ? (surroundings, now) : nil)
    }

    /// What a survey asks of rtnetlink that fits into one datagram: of the dumps that need several passes one, the last.
    private func questions(_ index: InterfaceIndex, _ known: Surroundings?) -> [Request] {
        var questions = [LinkRequest.of(index).forOneMessage]
        if known?.gateways.isEmpty != true { questions.append(NeighbourRequest.all(on: index)) }
        if known == nil { questions.append(AddressRequest.of(index)) }
        return questions
    }
}
