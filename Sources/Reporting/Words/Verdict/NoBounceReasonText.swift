import Model

extension NoBounceReason {
    /// A sentence without a full stop: why there was no action, with the remedy if there is one.
    public func description(interface: String, at now: Instant) -> String {
        switch self {
        case .radioBlocked(let block): Reason.radioBlocked(block).description(interface: interface)
        case .administrativelyDown: Reason.administrativelyDown.description(interface: interface)
        case .notWireless: "not a Wi-Fi interface (use --any-interface if it is meant)"
        case .notStation(let role):
            "a Wi-Fi interface of type \(role.text), not a station (use --any-interface if it is meant)"
        case .absent: "no such interface (run 'wifi-toggler list')"
        case .cannotHelp(.dns), .cannotHelp(.internet), .cannotHelp(.portal):
            "a bounce cannot help: the link itself is fine"
        case .cannotHelp: "a bounce cannot help"
        case .backingOff(let until): "backing off: the next bounce at the earliest in \((until - now).text)"
        case .budgetSpent(let until):
            "the budget of bounces is spent: the next bounce at the earliest in \((until - now).text)"
        case .useless(let bounces, let until):
            "a bounce does not help here (\(bounces) bounces in a row changed nothing): the next bounce at the"
                + " earliest in \((until - now).text), or when the network changes"
        case .early(let until):
            "too early: its owner may be about to join the network; no bounce for another \((until - now).text)"
        case .awaitingCAC(let frequency, let until):
            "its access point may be listening for radar on \(frequency) MHz: no bounce for another "
                + (until - now).text
        case .onHold(.until(let end)):
            "held by 'wifi-toggler hold' for another \((end - now).text)"
        case .onHold(.untilReleased): "held until 'wifi-toggler hold 0' releases it"
        case .quiet(let until) where until - now > Self.nearlyWeek: "quiet hours: no bounce, all week"
        case .quiet(let until): "quiet hours: no bounce for another \((until - now).text)"
        case .inUse(let peer, let others):
            "a user is logged in over this link from \(peer)"
                + (others == 0 ? "" : ", and from \(others) more address\(others == 1 ? "" : "es")")
                + " (use --even-if-in-use to bounce all the same)"
        case .alive(let sign): "not bounced: the link still receives from \(sign.text)"
        case .toldToDisconnect(let owner): "a user told \(owner.rawValue) to leave it disconnected"
        case .noReboot(let reason):
            "nothing else has helped, and the machine is not rebooted: " + reason.description(at: now)
        case .dryRun([]): "dry run: the link would be raised now"
        case .dryRun([.bounce]): "dry run: a bounce would begin now"
        case .dryRun([.reboot]): "dry run: the machine would be rebooted now"
        case .dryRun(let methods):
            "dry run: would now try \(methods.map(\.rawValue).joined(separator: ", then "))"
        }
    }

    /// Quiet hours that cover the whole week count as ending in a week (``QuietWindow/end(of:on:at:)``).
    private static let nearlyWeek: Duration = .seconds(167 * 3600)

    /// Whether the reason is about the reboot of the machine.
    var isAboutReboot: Bool {
        switch self {
        case .noReboot, .dryRun([.reboot]): true
        default: false
        }
    }
}

extension NoRebootReason {
    fileprivate func description(at now: Instant) -> String {
        switch self {
        case .neverWorked: "this network has never worked here"
        case .unknownRoutes: "the kernel did not say which links have a default route"
        case .unrecordable: "the reboot cannot be recorded (give another directory with --state-dir)"
        case .limit(let until):
            "at most once a day and \(RebootState.most) times a week, the next time at the earliest in "
                + (until - now).text
        case .failed(let until): "the last attempt failed; the next attempt in \((until - now).text)"
        case .uplink(let name): "it also has a default route over \(name)"
        case .login(let user): "\(user) is logged in (use --even-if-in-use to reboot all the same)"
        }
    }
}

extension Liveness {
    /// The host, how it was heard, and how long ago.
    var text: String { "\(peer) (\(manner.text), heard \(heard.text) ago)" }
}

extension Liveness.Manner {
    fileprivate var text: String {
        switch self {
        case .connection: "TCP"
        case .connectionBeyond: "TCP, beyond the gateway"
        case .neighbour: "neighbour"
        }
    }
}

extension BounceStep {
    /// The failed step as a phrase, such as `could not lower the link`.
    var text: String {
        switch self {
        case .snapshot: "could not record the routes and addresses of the link"
        case .guarding: "could not start the guard (without a guard, this program takes no link down)"
        case .lowering: "could not lower the link"
        case .raising: "could not raise the link"
        case .performing: "failed"
        }
    }

    /// Why a method was not carried out. If the method is not available, the failure's description suffices.
    func description(_ failure: Failure) -> String {
        failure.kind == .unavailable ? failure.description : failure.description(after: text)
    }
}

extension Failure {
    /// The values of EACCES and EROFS (errno(3)).
    private static let (accessDenied, readOnly): (Int32, Int32) = (13, 30)
    /// The value of EMFILE.
    private static let tooManyFiles: Int32 = 24

    /// What failed, the kernel's message, and the remedy.
    public func description(after what: String) -> String {
        let remedy =
            switch kind {
            // A file in /dev or /sys, to which no capability of the service gives access.
            case .notPermitted where [Self.accessDenied, Self.readOnly].contains(code):
                " (run as root, or give the service the drop-in root.conf)"
            case .notPermitted: " (needs CAP_NET_ADMIN: run as root)"
            // A failure without an error number comes from the query of the rfkill switches, and its
            // description has the remedy.
            case .radioBlocked where code != 0: " (run 'sudo rfkill unblock wlan')"
            case .noSuchDevice: " (run 'wifi-toggler list')"
            case .cannotWrite: " (give another directory with --run-dir)"
            case .other where code == Self.tooManyFiles: " (raise LimitNOFILE= or 'ulimit -n')"
            case .radioBlocked, .unavailable, .busy, .timedOut, .lost, .notBack, .other: ""
            }
        return "\(what): \(description)\(remedy)"
    }
}
