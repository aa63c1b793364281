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

extension Caution {
    /// Whether there is an owner that could have something against these settings: to find out who owns an interface
    /// costs a look at every process.
    public static func isPossible(under settings: Settings) -> Bool {
        settings.methods.contains(.reassociate)
            || Owner.allCases.contains { !$0.cautionsOfBounce(under: settings).isEmpty }
    }
}

extension Ownership {
    /// What there is to say about these settings, in the order of its weight; what is not known says nothing.
    public func cautions(under settings: Settings) -> [Caution] {
        var cautions: [Caution] = []
        for part in [station, network] where part.isDisputed { cautions.append(.disputed(part.owners)) }
        cautions += network.owners.flatMap { $0.cautionsOfBounce(under: settings) }
        if settings.methods.contains(.reassociate), !station.isDisputed, let owner = station.owners.first,
            owner != .supplicant
        {
            cautions.append(.cannotReassociate(owner))
        }
        return cautions
    }
}

extension Owner {
    fileprivate func cautionsOfBounce(under settings: Settings) -> [Caution] {
        guard settings.methods.contains(.bounce) else { return [] }
        var cautions: [Caution] = []
        if let longest = traits.longestHold, settings.delay > longest {
            cautions.append(.holdTooLong(self, delay: settings.delay, longest: longest))
        }
        // With 0 nothing is awaited.
        if let recovery = traits.recovery, settings.settle > .zero, settings.settle < recovery {
            cautions.append(.settleTooShort(self, settle: settings.settle, recovery: recovery))
        }
        return cautions
    }
}
