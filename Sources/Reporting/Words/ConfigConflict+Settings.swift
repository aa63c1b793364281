import Model

extension ConfigConflict {
    /// Whether any owner could conflict with these settings. If none could, there is no need to find the
    /// owner, which requires reading the files of every process.
    public static func isPossible(under settings: Settings) -> Bool {
        settings.methods.contains(.reassociate)
            || Owner.allCases.contains { !$0.conflictsOfBounce(under: settings).isEmpty }
    }
}

extension Ownership {
    /// The conflicts of the owners with each other and with these settings, the most important first. An
    /// unknown owner has none.
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
        guard settings.mayBounce else { return [] }
        var configConflicts: [ConfigConflict] = []
        if let longest = quirks.longestDownTime, settings.delay > longest {
            configConflicts.append(.delayTooLong(self, delay: settings.delay, longest: longest))
        }
        // With a settle time of 0 the bounce does not wait for the owner.
        if let recovery = quirks.recovery, settings.settle > .zero, settings.settle < recovery {
            configConflicts.append(.settleTooShort(self, settle: settings.settle, recovery: recovery))
        }
        return configConflicts
    }
}
