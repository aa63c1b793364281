import Model
import Platform

/// Finds out whether the owners of an interface still try to connect it (``OwnerCondition``). Asks the owners
/// and the service manager, and reads the state of processes. Changes nothing.
@MainActor public struct OwnerConditionQuery {
    public typealias Completion = @MainActor (OwnerCondition?) -> Void

    private let directories: [String]
    private let services: ServiceUnits
    private let supplicantDirectory: String
    private let root: String
    private let pause: Duration
    private let timeout: Duration

    /// The time between two looks at a process that seems to stand still, or at an iwd that lists no device.
    /// A process may wait for a disk for seconds.
    public static let lookSpacing: Duration = .seconds(4)

    /// - Parameters:
    ///   - root: the root of the file system, without a slash at its end.
    ///   - pause: the time between two looks.
    ///   - timeout: the time limit for each query.
    public init(
        _ manager: ServiceManager = .running(), directories: [String] = OwnerCommand.directories,
        scripts: String = OwnerCommand.serviceScripts,
        supplicantDirectory: String = ControlSocket.supplicantDirectory, root: String = "",
        pause: Duration = Self.lookSpacing, timeout: Duration = OwnerRequest.queryTimeout
    ) {
        self.directories = directories
        services = ServiceUnits(manager, directories: directories, scripts: scripts)
        self.supplicantDirectory = supplicantDirectory
        self.root = root
        self.pause = pause
        self.timeout = timeout
    }

    /// Asks the owners.
    /// - Parameters:
    ///   - interface: the name of the interface.
    ///   - looksAhead: whether to examine DHCP clients even if the interface has an address, which it may lose later.
    ///   - done: called once, possibly inside this call, with the first condition that was found; nil if the
    ///     owners are working, or cannot be asked.
    public func ask(
        _ interface: String, _ ownership: Ownership, looksAhead: Bool = false, _ done: @escaping Completion
    ) {
        // A program would take such a name for an option.
        guard interface.utf8.first != UInt8(ascii: "-") else { return done(nil) }
        ask(questions(about: ownership, looksAhead)[...], interface, done)
    }

    /// Finds out why systemd-resolved does not do its work.
    /// - Parameter done: called once, possibly inside this call; with nil if its service neither runs nor has failed: a
    ///   user has stopped it, or another program answers at its address.
    public func askAboutResolver(_ done: @escaping Completion) {
        let names = services.services(of: .resolved, for: "")
        services.states(of: names) { states in
            let kinds: [OwnerCondition.Kind] = names.compactMap {
                switch states[$0] {
                case .failed: .dead
                case .active: .hung
                case nil: nil
                }
            }
            done(kinds.first.map { OwnerCondition(.resolved, $0) })
        }
    }

    private enum Question {
        /// Has the service of one of these owners failed?
        case failures([Owner])
        /// This DHCP client of ifupdown has ended, which is known without a query.
        case loss(Owner)
        /// Does this process of the owner stand still? This is for an owner that answers no queries.
        case standstill(Owner, Int32)
        /// What does the owner report about its work?
        case report(Owner, OwnerRequest)
        /// Does wpa_supplicant answer? If this program may ask it to associate: does it postpone networks at
        /// present?
        case supplicant(isAsked: Bool)
        /// Does iwd list devices? It is asked only if it alone associates the station: NetworkManager, unless it
        /// is configured to use iwd, and ConnMan may use wpa_supplicant although iwd runs, too.
        case devices
        /// Does the owner answer at all?
        case ping(Owner)
    }

    private func questions(about ownership: Ownership, _ looksAhead: Bool) -> [Question] {
        let requests = (try? ownership.requests()) ?? []
        let missing = ownership.missing
        let examinesClients = ownership.network.isNeeded || looksAhead
        let lost = examinesClients ? ownership.absent.filter(ownership.hasLost) : []
        // Ask the running owners first: the service of a missing one may have failed long ago, and not be
        // needed.
        return ownership.owners.flatMap { owner -> [Question] in
            switch owner {
            case .supplicant: [.supplicant(isAsked: requests.contains(.reassociation))]
            case .networkManager where requests.contains(.activation): [.report(owner, .activation)]
            case .connman where requests.contains(.errorClearance): [.report(owner, .errorClearance)]
            // networkctl answers from files, even if systemd-networkd hangs, so ping first. The report of
            // systemd-networkd matters only if addresses are missing, because it associates nothing.
            case .networkd where requests.contains(.reconfiguration) && ownership.network.isNeeded:
                [.ping(owner), .report(owner, .reconfiguration)]
            case .iwd
            where ownership.station.owners == [.iwd]
                && (ownership.isDelegatedToIwd
                    || !ownership.network.owners.contains(where: \.managesAssociation)):
                [.devices]
            case .dhclient, .dhcpcd, .udhcpc:
                // dhcpcd has a control socket, but version 9.4.1 sometimes does not answer although it works.
                if examinesClients, let process = ownership.process(of: owner) {
                    [.standstill(owner, process)]
                } else {
                    []
                }
            default: [.ping(owner)]
            }
        } + (missing.isEmpty ? [] : [.failures(missing)]) + lost.map { .loss($0) }
    }

    private func ask(_ questions: ArraySlice<Question>, _ interface: String, _ done: @escaping Completion) {
        guard let question = questions.first else { return done(nil) }
        ask(question, interface) { condition in
            guard condition == nil else { return done(condition) }
            ask(questions.dropFirst(), interface, done)
        }
    }

    private func ask(_ question: Question, _ interface: String, _ done: @escaping Completion) {
        switch question {
        case .failures(let owners): findFailure(among: owners, interface, done)
        case .loss(let owner): done(OwnerCondition(owner, .dead))
        case .standstill(let owner, let process): lookTwice(at: process, of: owner, done)
        case .report(let owner, let request):
            guard let program = request.program, let arguments = request.conditionQuery(on: interface) else {
                return done(nil)
            }
            run(program, arguments, of: owner, done) { request.condition(from: $0, on: interface) }
        case .supplicant(let isAsked): askSupplicant(interface, isAsked: isAsked, done)
        case .devices: askForDevices(done)
        case .ping(let owner): ping(owner, done)
        }
    }

    private func findFailure(among owners: [Owner], _ interface: String, _ done: @escaping Completion) {
        let names = owners.map { services.services(of: $0, for: interface) }
        services.states(of: names.flatMap { $0 }) { states in
            let dead = zip(owners, names).first { $1.contains { states[$0] == .failed } }?.0
            done(dead.map { OwnerCondition($0, .dead) })
        }
    }

    private func lookTwice(at process: Int32, of owner: Owner, _ done: @escaping Completion) {
        guard let first = ProcessStatus(of: process, root: root)?.standstill else { return done(nil) }
        SecondLook().wait(pause) { [root] in
            let isHung = ProcessStatus(of: process, root: root)?.standstill == first
            done(isHung ? OwnerCondition(owner, .hung) : nil)
        }
    }

    /// Looks twice, because an iwd that has just started lists its devices a little later.
    private func askForDevices(isAgain: Bool = false, _ done: @escaping Completion) {
        let next: Completion = { [pause] condition in
            guard !isAgain, condition?.kind == .lostDevices else { return done(condition) }
            SecondLook().wait(pause) { askForDevices(isAgain: true, done) }
        }
        run(Self.busProgram, IwdDevices.question, of: .iwd, next) {
            IwdDevices.areLost($0) ? OwnerCondition(.iwd, .lostDevices) : nil
        }
    }

    private func askSupplicant(_ interface: String, isAsked: Bool, _ done: @escaping Completion) {
        SupplicantControl(interface: interface, directory: supplicantDirectory)
            .postponedNetworks(timeout: timeout) { result in
                switch result {
                case .success(let networks):
                    done(isAsked && !networks.isEmpty ? OwnerCondition(.supplicant, .gaveUp) : nil)
                case .failure(let failure) where failure.kind == .timedOut:
                    done(OwnerCondition(.supplicant, .hung))
                // If a network manager has started wpa_supplicant, it is reachable only by D-Bus.
                case .failure: ping(.supplicant, done)
                }
            }
    }

    /// Asks an owner for any answer by D-Bus; a refusal counts as well. If the owner does not run, the bus
    /// itself answers.
    private func ping(_ owner: Owner, _ done: @escaping Completion) {
        guard let name = owner.busName else { return done(nil) }
        let arguments = ["--auto-start=no", "call", name, "/", "org.freedesktop.DBus.Peer", "Ping"]
        run(Self.busProgram, Self.systemBus + arguments, of: owner, done) { _ in nil }
    }

    private static let busProgram = "busctl"
    private static let systemBus = ["--system"]

    /// Reports that an owner that has not answered by D-Bus hangs, but only if the bus itself still answers
    /// (dbus-daemon(1), `org.freedesktop.DBus.GetId`). If the bus hangs, no owner can answer.
    private func tellHung(_ owner: Owner, _ done: @escaping Completion) {
        let bus = "org.freedesktop.DBus"
        let arguments = ["call", bus, "/org/freedesktop/DBus", bus, "GetId"]
        let command = OwnerCommand(
            program: Self.busProgram, arguments: Self.systemBus + arguments, timeout: timeout)
        let child = try? command.start(in: directories) { outcome in
            if case .answered = outcome { done(OwnerCondition(owner, .hung)) } else { done(nil) }
        }
        if child == nil { done(nil) }
    }

    /// Runs a program that waits for the owner's answer by D-Bus.
    private func run(
        _ program: String, _ arguments: [String], of owner: Owner, _ done: @escaping Completion,
        _ condition: @escaping @MainActor ([UInt8]) -> OwnerCondition?
    ) {
        let command = OwnerCommand(program: program, arguments: arguments, timeout: timeout)
        let child = try? command.start(in: directories) { outcome in
            switch outcome {
            case .answered(let answer): done(condition(answer))
            case .ended(_, let failure) where failure.kind == .timedOut: tellHung(owner, done)
            case .ended, .notRun: done(nil)
            }
        }
        if child == nil { done(nil) }
    }
}

/// A second look after a pause. The object keeps itself alive until then.
@MainActor private final class SecondLook {
    private var timer: TimerSource?

    func wait(_ pause: Duration, _ look: @escaping @MainActor () -> Void) {
        timer = TimerSource {
            self.timer = nil
            look()
        }
        timer?.schedule(after: pause)
    }
}
