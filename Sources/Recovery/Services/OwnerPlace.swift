import Model
import Platform

/// Where an owner runs or ran: in one of its own systemd units, which can be restarted, or elsewhere.
struct OwnerPlace: Equatable {
    var owner: Owner
    var interface: String
    /// The owner's process; nil: it is not known, or the owner is dead.
    var process: Int32?
    var unit: ProcessUnit
    /// Whether the owner hangs. It then has to be killed, because it does not end on request.
    var isHung = false
    /// Whether ifupdown has started the owner.
    var isFromIfupdown = false
    /// Whether the owner is a DHCP client of ifupdown that has ended. The unit of ifupdown does not fail when
    /// that happens.
    var isLost = false

    /// - Parameters:
    ///   - condition: the kind of the owner's condition; nil: the owner answers.
    ///   - root: the root of the file system, without a slash at its end.
    init(
        of owner: Owner, _ condition: OwnerCondition.Kind?, _ interface: String, _ ownership: Ownership,
        root: String
    ) {
        self.owner = owner
        self.interface = interface
        isHung = condition == .hung
        let file = SupplicantProcessFile.process(for: interface, root: root)
        isLost = condition == .dead && ownership.hasLost(owner)
        isFromIfupdown =
            isLost || owner == .supplicant && ownership.network.owners.contains(.ifupdown) && file != nil
        process = condition == .dead ? nil : ownership.process(of: owner)
        unit = process.map { ProcessUnit(of: $0, root: root) } ?? .unknown
    }

    init(owner: Owner, interface: String, process: Int32?, unit: ProcessUnit) {
        (self.owner, self.interface, self.process, self.unit) = (owner, interface, process, unit)
    }

    /// The units of the owner that may be restarted.
    /// - Parameter units: all units that are known to start the owner (``Owner/units(for:)``).
    /// - Throws: the owner runs elsewhere. The message says what to do.
    func restartable(of units: [String]) throws(Failure) -> [String] {
        switch unit {
        case .service(let name) where owner.hosts(for: interface).contains(name): return [name]
        case .service(let name):
            throw elsewhere("runs in \(name), which this program does not restart", restart(of: name))
        case .noService: throw elsewhere("runs in no unit of systemd", restart(of: nil))
        case .unknown where isLost: return owner.hosts(for: interface)
        case .unknown where process == nil && isFromIfupdown: throw ofIfupdown
        case .unknown: return units
        }
    }

    /// Whether a unit with this state is the one to restart.
    func isDue(_ unit: String, _ state: ServiceUnits.State?, _ condition: OwnerCondition.Kind?) -> Bool {
        guard condition == .dead else { return state == .active }
        return state == .failed || isLost && state == .active && unit == Owner.ifupUnit(for: interface)
    }

    /// Why none of the owner's units can be restarted.
    var noUnit: Failure { isLost ? ofIfupdown : .noService(of: owner) }

    private var ofIfupdown: Failure {
        elsewhere("was started by ifupdown, in no unit of its own", restart(of: nil))
    }

    /// The commands by which a user can restart the owner.
    private func restart(of unit: String?) -> String {
        let isIfupdowns = unit.map { $0 == "networking.service" || $0.hasPrefix("ifup@") } ?? isFromIfupdown
        if isIfupdowns {
            // ifdown only requests the program to end, and a second wpa_supplicant could not use the interface.
            let kill = process.flatMap { isHung ? "sudo kill -KILL \($0); " : nil } ?? ""
            return "run '\(kill)sudo ifdown \(interface) && sudo ifup \(interface)'"
        }
        if let unit { return "run 'sudo systemctl restart \(unit)'" }
        return process.map { "run 'sudo kill \(isHung ? "-KILL " : "")\($0)', and start it again" }
            ?? "start it again"
    }

    private func elsewhere(_ place: String, _ remedy: String) -> Failure {
        Failure(kind: .unavailable, description: "\(owner.rawValue) \(place) (\(remedy))")
    }
}
