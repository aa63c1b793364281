/// What the settings of an interface and its owner have against each other. Said, and nothing is forbidden.
public enum Caution: Hashable, Sendable {
    /// Somebody gives the link up when it is away for so long.
    case holdTooLong(Owner, delay: Duration, longest: Duration)
    /// A bounce would be called useless before the owner can have taken the link back.
    case settleTooShort(Owner, settle: Duration, recovery: Duration)
    /// wpa_supplicant alone can be asked to reassociate, and somebody else associates the station.
    case cannotReassociate(Owner)
    /// Several programs, each by itself, do the same with the link.
    case disputed([Owner])
}

extension Ownership {
    /// What there is to say about these settings, in the order of its weight; what is not known says nothing.
    public func cautions(under settings: Settings) -> [Caution] {
        var cautions: [Caution] = []
        for part in [station, network] where part.isDisputed { cautions.append(.disputed(part.owners)) }
        if settings.methods.contains(.bounce) { cautions += cautionsOfBounce(under: settings) }
        if settings.methods.contains(.reassociate), !station.isDisputed, let owner = station.owners.first,
            owner != .supplicant
        {
            cautions.append(.cannotReassociate(owner))
        }
        return cautions
    }

    private func cautionsOfBounce(under settings: Settings) -> [Caution] {
        network.owners.flatMap { owner -> [Caution] in
            var cautions: [Caution] = []
            if let longest = owner.traits.longestHold, settings.delay > longest {
                cautions.append(.holdTooLong(owner, delay: settings.delay, longest: longest))
            }
            // With 0 nothing is awaited.
            if let recovery = owner.traits.recovery, settings.settle > .zero, settings.settle < recovery {
                cautions.append(.settleTooShort(owner, settle: settings.settle, recovery: recovery))
            }
            return cautions
        }
    }
}
