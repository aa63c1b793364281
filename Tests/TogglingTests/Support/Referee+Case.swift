@testable import Model
@testable import Toggling

extension Referee {
    /// The toggler's current recovery: its cause, what the last kernel state said about that, and the methods
    /// so far.
    struct Case: Hashable {
        /// The fault; nil: a user, or the plain timer, asked for the bounce.
        var cause: Cause?
        /// Whether a user's request began the recovery.
        private(set) var isUserRequest = false
        /// The method that was announced first; it may have been passed over.
        private(set) var first: Model.Method?
        /// The methods so far, in order.
        private(set) var ladder: [Model.Method] = []
        /// Whether the recovery already counts for the limits of bounces.
        var isCounted = false
        /// The signs of liveness in the last kernel state; nil: they were not requested.
        private var liveness: Liveness?
        private var owner: OwnerCondition.Kind?
        /// Whether the evidence calls for a restart of an owner other than systemd-resolved.
        var mayRestartOwner: Bool { owner?.remedy == .restartOwner && !isResolvers }
        /// Whether systemd-resolved fails while the link is healthy.
        private(set) var isResolvers = false
        private var hasRadioCondition = false
        private var isStation = false
        /// Whether the device has lost the interface.
        private(set) var isLoss = false
        /// Whether the link is down, and neither a hold, nor quiet hours, nor an rfkill block forbid a
        /// reboot.
        private var isDownAndFree = false
        /// What the environment knows about reboots; nil: it was not asked.
        private var rebootState: RebootState?

        mutating func begin(_ method: Model.Method, _ verdict: Verdict?, isUserRequest: Bool) {
            first = method
            cause = verdict.map { Cause($0) }
            self.isUserRequest = isUserRequest
            ladder = []
            isCounted = false
        }

        /// Whether this verdict calls for a recovery that begins with this method.
        func mayBegin(
            _ method: Model.Method, because verdict: Verdict, under settings: Settings
        ) -> Bool {
            verdict.callsForBounce(on: settings.bouncedLayers) || verdict.layer == .dns && isResolvers
                || verdict.reason == .disconnectedLocally && method == .restartOwner && mayRestartOwner
                || verdict.reason == .interfaceLost && isLoss
        }

        mutating func note(_ kernelState: KernelState, livenessWithin window: Duration?) {
            liveness = window.map { Liveness(kernelState, within: $0) }
            owner = kernelState.ownerCondition?.kind
            isResolvers = kernelState.ownerCondition?.owner == .resolved && kernelState.fault == nil
            hasRadioCondition = kernelState.radioCondition != nil
            isStation = kernelState.wireless?.role == .station
            isLoss = kernelState.radioCondition?.isLoss == true
            rebootState = kernelState.rebootState
            isDownAndFree =
                !kernelState.link.isUp && kernelState.radio == .none
                && kernelState.administrativeHold == nil && kernelState.quietUntil == nil
        }

        /// The rules that this method, as the next one, would break.
        mutating func judge(
            _ method: Model.Method, _ runMode: RunMode, at now: Instant, under settings: Settings
        ) -> [String] {
            var wrong = judgeLiveness()
            // A radio that refuses is reset first; gentler methods may follow. A bounce may make an owner give
            // up.
            let isFirstReset = settings.methods.isEmpty && ladder == [.reset]
            let isForOwner = [.owner, .restartOwner].contains(method)
            let isOwnersAfterBounce = settings.methods.isEmpty && ladder.last == .bounce && isForOwner
            if let last = ladder.last, last >= method, !isFirstReset, !isOwnersAfterBounce {
                wrong.append("\(method) after \(last)")
            }
            if ladder.contains(method) { wrong.append("\(method) twice") }
            if settings.methods.isEmpty {
                wrong += judgeChoice(method, under: settings)
            } else if !settings.methods.contains(method) {
                wrong.append("\(method), which nobody wants")
            }
            if method == .reboot { wrong += judgeReboot(runMode, at: now, under: settings) }
            ladder.append(method)
            return wrong
        }

        /// The last method was not carried out, and the one before it goes on.
        mutating func goBack() { ladder.removeLast() }

        /// The device of a link that cannot be raised is reset if it is a station's, or if the user named the
        /// reset.
        mutating func judgeResetOfDown(under settings: Settings) -> [String] {
            ladder.append(.reset)
            let isWanted = settings.methods.isEmpty ? isStation : settings.methods.contains(.reset)
            return isWanted ? [] : ["a reset, which nobody wants"]
        }

        /// Only `run` may reboot, with no other method in the ladder, and only if the machine's state allows
        /// it.
        private func judgeReboot(_ runMode: RunMode, at now: Instant, under settings: Settings) -> [String] {
            guard ladder.isEmpty else { return ["a reboot out of turn"] }
            return judgeLastResort(runMode, at: now, under: settings)
        }

        /// Only if a user named the reboot, also while the link is down, because it cannot be raised.
        func judgeRebootOfDown(_ runMode: RunMode, at now: Instant, under settings: Settings) -> [String] {
            let isWanted =
                settings.mayReboot && !settings.isDryRun && !settings.isForced && settings.settle > .zero
            return (isDownAndFree && isWanted ? [] : ["a reboot that is held, or that nobody wants"])
                + judgeLastResort(runMode, at: now, under: settings)
        }

        private func judgeLastResort(
            _ runMode: RunMode, at now: Instant, under settings: Settings
        ) -> [String] {
            guard runMode == .watch, cause != nil, let rebootState else { return ["a reboot out of turn"] }
            let isFree = settings.bouncesInUse || rebootState.user == nil
            let isRare = rebootState.reboots.allSatisfy { now - $0 >= .seconds(86400) }
            return rebootState.isRecordable && rebootState.otherUplink == nil && isFree && isRare
                ? [] : ["a reboot that must not be"]
        }

        /// With `auto`, the evidence must call for this method, unless it is the bounce or named beside
        /// `auto`.
        private func judgeChoice(_ method: Model.Method, under settings: Settings) -> [String] {
            if isResolvers, cause?.isOfNames == true {
                return method == .restartOwner && ladder.isEmpty
                    ? [] : ["\(method) because of systemd-resolved"]
            }
            if isLoss {
                let isLast = method == .reboot && settings.methodsBesideAuto.contains(.reboot)
                return (method == .reset || isLast) && ladder.isEmpty
                    ? [] : ["\(method) without an interface"]
            }
            let isOwners = cause?.isOwners == true
            if isOwners, owner == .toldToDisconnect { return ["touched what a user told its owner to leave"] }
            if cause?.isLeave == true {
                return method == .restartOwner && mayRestartOwner
                    ? [] : ["\(method) although this machine left its network"]
            }
            let isCalledFor =
                method == .bounce || settings.methodsBesideAuto.contains(method)
                || method == .reset && hasRadioCondition && cause?.isAssociations == true && ladder.isEmpty
                || isOwners
                    && (method == .owner && owner == .gaveUp || method == .restartOwner && mayRestartOwner)
            return isCalledFor ? [] : ["\(method), which no evidence calls for"]
        }

        /// If the fault is the silence of a host, liveness evidence must have been requested, and must not
        /// show that the link is alive.
        private func judgeLiveness() -> [String] {
            guard let cause, cause.isGatewaySilent || cause.isEchoSilent || cause.isTargetSilent else {
                return []
            }
            guard let liveness else { return ["nobody checked whether the link is alive"] }
            let isAlive =
                liveness.isBeyond || cause.isGatewaySilent && liveness.isOnLink
                || cause.isEchoSilent && liveness.isConnected
            return isAlive ? ["touched a link that is alive"] : []
        }
    }
}
