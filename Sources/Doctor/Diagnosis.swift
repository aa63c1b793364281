import Model

/// Derives findings from facts about a machine.
public enum Diagnosis {
    /// NetworkManager's default number of connection attempts. With fewer, it gives up after a few bounces in
    /// a row.
    static let usualRetries = 4
    /// A clock that is behind the program's file by less than this is probably correct: the program may just
    /// have been installed.
    static let clockTolerance: Duration = .seconds(86_400)

    /// The findings, the most severe first. Among findings of equal severity, the findings about interfaces
    /// come first, in the order of the facts.
    public static func findings(_ machine: MachineFacts, _ interfaces: [InterfaceFacts]) -> [SetupFinding] {
        let lacksEchoes = !machine.mayPing && interfaces.contains(where: \.sendsEchoes)
        let lacksRawSockets = !machine.mayOpenRawSockets && interfaces.contains(where: announcesIPv6)
        let all =
            interfaces.flatMap(findings) + findings(machine)
            + (lacksEchoes ? [SetupFinding(.mayNotPing)] : [])
            + (lacksRawSockets ? [SetupFinding(.mayNotAnnounceIPv6)] : [])
        return SetupFinding.Severity.allCases.sorted(by: >).flatMap { severity in
            all.filter { $0.severity == severity }
        }
    }

    // MARK: One interface

    private static func findings(_ facts: InterfaceFacts) -> [SetupFinding] {
        (ofRadio(facts) + ofOwner(facts) + ofLink(facts) + ofReboot(facts)).map {
            SetupFinding($0, of: facts.name)
        }
    }

    private static func ofRadio(_ facts: InterfaceFacts) -> [SetupFinding.Kind] {
        var kinds: [SetupFinding.Kind] = []
        if facts.kernelState.radio != .none { kinds.append(.radioBlocked(facts.kernelState.radio)) }
        if facts.kernelState.savesPower == true, !facts.keepsPowerSaveOff {
            kinds.append(.savesPower(powerSaveEffect(facts)))
        }
        if let driver = facts.driver, let rule = facts.driverRule {
            let wantsAuto = rule.powerSave == .off && !facts.keepsPowerSaveOff
            if wantsAuto || rule.remedy != nil {
                kinds.append(
                    .knownDriver(
                        driver, fault: rule.fault, wantsPowerSaveAuto: wantsAuto, remedy: rule.remedy))
            }
        }
        if let forbidden = facts.forbiddenReset { kinds.append(.mayNotReset(forbidden)) }
        return kinds + facts.forbiddenMethods.map { .forbiddenMethods($0) }
    }

    // A radio that sleeps between beacons receives an answer only after one of the next beacons. Beacons are a tenth
    // of a second apart; with a listen interval or a DTIM period of 3, the radio wakes up for every third one.

    /// How many quarters of an hour must have been measured: one hour in total.
    private static let fewestQuarters = 4
    /// If the radio is awake, a gateway in the same house answers within a few milliseconds.
    private static let lateAnswer: Duration = .milliseconds(25)
    private static let promptAnswer: Duration = .milliseconds(10)
    private static let spreadOfBeacons: ClosedRange<Duration> = .milliseconds(50)...(.milliseconds(310))
    /// The weakest good signal, in dBm. A weaker one delays answers by itself.
    private static let goodSignal: Int8 = -67

    private static func powerSaveEffect(_ facts: InterfaceFacts) -> SetupFinding.PowerSaveEffect {
        guard let roundTrips = facts.roundTrips, roundTrips.quarters >= fewestQuarters else {
            return .unknown
        }
        if roundTrips.median < promptAnswer { return .noDelays(roundTrips) }
        guard let signal = roundTrips.signal, signal >= goodSignal, roundTrips.median >= lateAnswer,
            spreadOfBeacons.contains(roundTrips.most - roundTrips.least)
        else { return .unknown }
        return .delays(roundTrips)
    }

    private static func ofOwner(_ facts: InterfaceFacts) -> [SetupFinding.Kind] {
        var kinds: [SetupFinding.Kind] = facts.configConflicts.map { conflict in
            if case .disputed(let owners) = conflict {
                .disputed(owners)
            } else {
                .configConflict(conflict)
            }
        }
        let parts = [facts.ownership.station, facts.ownership.network]
        if parts.contains(where: { $0.claims.isEmpty && !$0.isComplete }) { kinds.append(.ownerUnknown) }
        if let condition = facts.ownerCondition { kinds.append(.ownerCondition(condition)) }
        if let access = facts.restartAccess, access.permission != .given {
            kinds.append(.mayNotRestart(access))
        }
        let harmful = [SetupFinding.alwaysUp, SetupFinding.alwaysDown]
        if let policy = facts.activationPolicy, harmful.contains(policy) {
            kinds.append(.activationPolicy(policy))
        }
        // The value 0 means no limit.
        if let retries = facts.autoconnectRetries, (1..<usualRetries).contains(retries) {
            kinds.append(.autoconnectRetries(retries))
        }
        return kinds
    }

    /// The findings about the link itself. A missing default route is no finding if the link is down or has
    /// no address: a check reports that fault.
    private static func ofLink(_ facts: InterfaceFacts) -> [SetupFinding.Kind] {
        let isInUse =
            facts.kernelState.link.isUp && facts.kernelState.addresses.contains(where: \.reachesBeyondLink)
        let port = facts.kernelState.link.port.map { SetupFinding.Kind.port($0) }
        return (isInUse && facts.hasDefaultRoute == false ? [.noDefaultRoute] : [])
            + [foreignSource(facts), deafness(facts), port].compactMap { $0 }
    }

    /// Finds that packets to the gateway get a source address outside of the gateway's subnet. This happens
    /// with iwd, whose subnet route has no source address, if iwd assigns its address after another program.
    private static func foreignSource(_ facts: InterfaceFacts) -> SetupFinding.Kind? {
        let addresses = facts.kernelState.addresses
        guard let path = facts.gatewayPath,
            let ours = addresses.first(where: { $0.isNeighbour(of: path.gateway) }),
            let source = addresses.first(where: { $0.address == path.source }),
            !addresses.contains(where: { $0.address == path.source && $0.isNeighbour(of: path.gateway) })
        else { return nil }
        return .foreignSource(source, gateway: path.gateway, ours: ours.address)
    }

    /// A router advertises itself about three times in the lifetime of its route (RFC 4861, section 6.2.1,
    /// AdvDefaultLifetime): the link is deaf if two advertisements, which are multicast, are missing while
    /// the router answers unicast.
    private static func deafness(_ facts: InterfaceFacts) -> SetupFinding.Kind? {
        guard let last = facts.lastAdvertisement, last.ago >= last.lifetime * 2 / 3 else { return nil }
        let association = facts.kernelState.wireless?.association
        if let connected = association?.station.connected, connected < last.ago { return nil }
        let answers = facts.kernelState.gateways.contains { gateway in
            gateway.neighbour?.confirmed.map { $0 <= last.lifetime / 3 } ?? false
        }
        return answers ? .deaf(last) : nil
    }

    private static func announcesIPv6(_ facts: InterfaceFacts) -> Bool {
        facts.announces && facts.kernelState.addresses.contains(where: \.address.isIPv6)
    }

    // MARK: The machine

    private static func findings(_ facts: MachineFacts) -> [SetupFinding] {
        (ofNetwork(facts) + ofRivals(facts) + ofService(facts) + ofRights(facts)).map { SetupFinding($0) }
    }

    private static func ofNetwork(_ facts: MachineFacts) -> [SetupFinding.Kind] {
        var kinds: [SetupFinding.Kind] = facts.storedBlocks.map { .blockStored(file: $0) }
        if facts.uplinks.count > 1, !facts.strictlyFiltered.isEmpty {
            kinds.append(.strictReversePath(uplinks: facts.uplinks))
        }
        if let condition = facts.resolverCondition { kinds.append(.ownerCondition(condition)) }
        if facts.country == "00" { kinds.append(.noCountry) }
        return kinds
    }

    private static func ofRivals(_ facts: MachineFacts) -> [SetupFinding.Kind] {
        facts.rivals.map { .rival($0.name, process: $0.process) }
            + facts.cron.compactMap { line in
                switch line.kind {
                case .rival: .cronRival(file: line.file, line: line.number)
                case .ours:
                    facts.isServiceRunning || facts.unit == .enabled
                        ? .cronBesideService(file: line.file, line: line.number) : nil
                }
            }
    }

    private static func ofService(_ facts: MachineFacts) -> [SetupFinding.Kind] {
        var kinds: [SetupFinding.Kind] = []
        let isOurs = { (line: MachineFacts.CronLine) in line.kind == .ours }
        if !facts.isServiceRunning, !facts.cron.contains(where: isOurs) {
            switch facts.unit {
            case .missing?: kinds.append(.nothingStartsUs)
            case .disabled?: kinds.append(.serviceNotEnabled)
            case .masked?: kinds.append(.serviceMasked)
            case .enabled?, .timer?, nil: break
            }
        } else if facts.isServiceRunning, facts.unit == .disabled {
            kinds.append(.serviceNotEnabled)
        }
        if let behind = facts.clockBehind, behind > clockTolerance { kinds.append(.clockBehind(behind)) }
        return kinds
    }

    private static func ofRights(_ facts: MachineFacts) -> [SetupFinding.Kind] {
        var kinds: [SetupFinding.Kind] = facts.directoryProblems.map { .directory($0) }
        if !facts.mayChangeLinks { kinds.append(.mayNotChangeLinks) }
        return kinds
    }
}

extension InterfaceAddress {
    /// Whether both addresses are in the same subnet.
    fileprivate func isNeighbour(of other: IPAddress) -> Bool {
        switch (address, other) {
        case (.v4(let ours), .v4(let theirs)): (ours ^ theirs) >> (32 - Int(prefixLength)) == 0
        case (.v6(let ours), .v6(let theirs)): (ours ^ theirs) >> (128 - Int(prefixLength)) == 0
        case (.v4, .v6), (.v6, .v4): false
        }
    }
}
