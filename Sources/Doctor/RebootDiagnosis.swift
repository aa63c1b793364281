import Model

/// Finds what would keep the service from rebooting the machine, so that a user sees it before an outage.
extension Diagnosis {
    static func ofReboot(_ interface: InterfaceFacts) -> [SetupFinding.Kind] {
        guard let facts = interface.reboot else { return [] }
        let ssid = interface.kernelState.wireless?.association?.ssid
        let problems =
            ofLogind(facts) + ofRecord(facts)
            + [
                facts.knownTargets?.hasAnswer(in: ssid) == false ? .neverWorked(ssid) : nil,
                facts.otherUplink.map { .uplink($0) }, ofSettings(facts),
            ].compactMap { $0 }
        return problems.map { .reboot($0) }
    }

    private static func ofLogind(_ facts: RebootFacts) -> [RebootProblem] {
        var problems: [RebootProblem] = []
        switch facts.access.logind {
        case .absent(let error) where !facts.access.mayForce: return [.noLogind(error)]
        case .answers(isInhibited: true): problems.append(.inhibited)
        case .absent, .answers, nil: break
        }
        switch facts.access.permission {
        case .refused: problems.append(.notPermitted)
        case .absent(let error): problems.append(.noPolkit(error))
        case .given, nil: break
        }
        return problems
    }

    private static func ofRecord(_ facts: RebootFacts) -> [RebootProblem] {
        switch facts.record {
        case .damaged(let file): return [.recordDamaged(file: file)]
        case .volatile(let directory): return [.recordVolatile(directory: directory)]
        case .unreadable(let file, let error): return [.recordUnreadable(file: file, error: error)]
        case .read(let state):
            let recent = state.reboots.count { facts.now - $0 < RebootState.lifetime }
            return state.limitEnd(at: facts.now).map { [.limit($0 - facts.now, reboots: recent)] } ?? []
        case nil: return []
        }
    }

    private static func ofSettings(_ facts: RebootFacts) -> RebootProblem? {
        if facts.settle == .zero, !facts.others.isEmpty { return .notVerified }
        // Each method has up to the settle time to help.
        let most = facts.others.reduce(Duration.zero) {
            $0 + facts.settle + ($1.takesLinkDown ? facts.delay : .zero)
        }
        return facts.after < most ? .laterThan(facts.after, methods: most) : nil
    }
}
