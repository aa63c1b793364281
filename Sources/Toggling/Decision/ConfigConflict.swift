import Model

/// What the settings of an interface and its owner have against each other. Said, and nothing is forbidden.
public enum ConfigConflict: Hashable, Sendable {
    /// Somebody gives the link up when it is away for so long.
    case holdTooLong(Owner, delay: Duration, longest: Duration)
    /// A bounce would be called useless before the owner can have taken the link back.
    case settleTooShort(Owner, settle: Duration, recovery: Duration)
    /// wpa_supplicant alone can be asked to reassociate, and somebody else associates the station.
    case cannotReassociate(Owner)
    /// Several programs, each by itself, do the same with the link.
    case disputed([Owner])
}

extension ConfigConflict {
    /// Whether there is an owner that could have something against these settings: to find out who owns an interface
    /// costs a look at every process.
    public static func isPossible(under settings: Settings) -> Bool {
        settings.methods.contains(.reassociate)
            || Owner.allCases.contains { !$0.conflictsOfBounce(under: settings).isEmpty }
    }
}

extension Ownership {
    /// What there is to say about these settings, in the order of its weight; what is not known says nothing.
    public func configConflicts(under settings: Settings) -> [ConfigConflict] {
        var configConflicts: [ConfigConflict] = []
        for part in [station, network] where part.isDisputed {
            configConflicts.append(.disputed(part.owners))
        }
        configConflicts += network.owners.flatMap { $0.conflictsOfBounce(under: settings) }
        if settings.methods.contains(.reassociate), !station.isDisputed, let owner = station.owners.first,
            owner != .supplicant
        {
            configConflicts.append(.cannotReassociate(owner))
        }
        return configConflicts
    }
}

extension Owner {
    fileprivate func conflictsOfBounce(under settings: Settings) -> [ConfigConflict] {
        guard settings.methods.contains(.bounce) else { return [] }
        var configConflicts: [ConfigConflict] = []
        if let longest = quirks.longestHold, settings.delay > longest {
            configConflicts.append(.holdTooLong(self, delay: settings.delay, longest: longest))
        }
        // With 0 nothing is awaited.
        if let recovery = quirks.recovery, settings.settle > .zero, settings.settle < recovery {
            configConflicts.append(.settleTooShort(self, settle: settings.settle, recovery: recovery))
        }
        return configConflicts
    }
}
