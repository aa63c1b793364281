import Model
import Platform

/// Restarts the system service of an interface's owner (``Method/restartOwner``).
@MainActor public final class OwnerRestarter {
    /// An interface through which other machines reach a network, such as an access point.
    public struct ServingInterface: Sendable {
        let name: String
        let ownership: Ownership
        let sharesRadio: Bool

        /// - Parameter sharesRadio: whether this interface is on the same radio as the sick interface, whose
        ///   owner is restarted. That owner may then run this interface, too, even if its service is only for
        ///   the sick interface: wpa_supplicant runs a P2P group in this way.
        public init(name: String, ownership: Ownership, sharesRadio: Bool) {
            self.name = name
            self.ownership = ownership
            self.sharesRadio = sharesRadio
        }

        /// Whether the interface would lose its clients if this owner were restarted. NetworkManager and
        /// ConnMan let wpa_supplicant run their access points.
        func depends(on owner: Owner) -> Bool {
            let owners = ownership.station.owners + ownership.network.owners
            return owners.contains(owner)
                || owner == .supplicant && owners.contains(where: \.managesAssociation)
        }
    }

    private let manager: ServiceManager
    private let root: String
    private let services: ServiceUnits
    private let query: OwnerConditionQuery
    private var isStopped = false
    /// Whether a restart has begun and has not ended, even after ``stop()``.
    public private(set) var isAtWork = false
    /// Called when the restart has ended.
    public var ended: @MainActor () -> Void = {}

    /// - Parameters:
    ///   - root: the root of the file system, without a slash at its end.
    ///   - pause: the time between the two looks at a process that cannot be asked.
    public init(
        _ manager: ServiceManager = .running(), root: String = "",
        directories: [String] = OwnerCommand.directories,
        scripts: String = OwnerCommand.serviceScripts,
        supplicantDirectory: String = ControlSocket.supplicantDirectory,
        pause: Duration = OwnerConditionQuery.lookSpacing
    ) {
        self.manager = manager
        self.root = root
        services = ServiceUnits(manager, directories: directories, scripts: scripts)
        query = OwnerConditionQuery(
            manager, directories: directories, scripts: scripts, supplicantDirectory: supplicantDirectory,
            root: root, pause: pause)
    }

    /// Stops. `completion` is not called any more. A service that was killed is still restarted.
    public func stop() { isStopped = true }

    /// Restarts the service of an owner once. If systemd tells in which service the owner's process runs,
    /// restarts that service.
    /// - Parameters:
    ///   - interface: the name of the interface.
    ///   - evenIfAtWork: whether to restart the chief owner even if no owner is dead or hung, or has lost its
    ///     devices. The owners are asked once more to find that out.
    ///   - serving: the interfaces of this machine that serve others now.
    ///   - completion: called once. Fails with `unavailable` if there is no owner to restart, or no known
    ///     service for it, or if the owner runs in another service, or if an interface that serves others
    ///     needs the same service; with `other` if a user has told the owner to disconnect, which a restart
    ///     would undo, or if the restart fails; with `timedOut` or `lost` if the restart may have started.
    public func restart(
        _ interface: String, _ ownership: Ownership, evenIfAtWork: Bool, serving: [ServingInterface],
        _ completion: @escaping @MainActor (Result<Void, Failure>) -> Void
    ) {
        let done: @MainActor (Result<Void, Failure>) -> Void = { [self] in if !isStopped { completion($0) } }
        query.ask(interface, ownership) { [self] condition in
            if isStopped { return }
            if let condition, condition.kind == .toldToDisconnect {
                return EventLoop.soon { done(.failure(.toldToDisconnect(condition.owner))) }
            }
            let stalled = condition?.kind.remedy == .restartOwner ? condition : nil
            guard let owner = stalled?.owner ?? (evenIfAtWork ? ownership.chief : nil) else {
                return EventLoop.soon { done(.failure(.atWork)) }
            }
            let known = services.services(of: owner, for: interface)
            let place = OwnerPlace(of: owner, stalled?.kind, interface, ownership, root: root)
            let names: [String]
            // Other service managers do not tell in which service a process runs.
            do throws(Failure) {
                names = try manager == .systemd ? place.restartable(of: known) : known
            } catch {
                return EventLoop.soon { done(.failure(error)) }
            }
            services.states(of: names) { [self] states in
                if isStopped { return }
                guard let service = names.first(where: { place.isDue($0, states[$0], stalled?.kind) }) else {
                    return EventLoop.soon { done(.failure(place.noUnit)) }
                }
                let isOfOneInterface = services.isOfOneInterface(service, interface)
                if let other = serving.first(where: {
                    $0.depends(on: owner) && ($0.sharesRadio || !isOfOneInterface)
                }) {
                    return EventLoop.soon { done(.failure(.needed(owner, by: other.name))) }
                }
                restart(service, of: stalled?.kind, done)
            }
        }
    }

    private func restart(
        _ service: String, of kind: OwnerCondition.Kind?,
        _ done: @escaping @MainActor (Result<Void, Failure>) -> Void
    ) {
        isAtWork = true
        services.restart(service, of: kind) { [self] in
            isAtWork = false
            done($0)
            ended()
        }
    }
}

extension OwnerRestarter {
    /// Restarts the service of an owner that is dead or hung, and that does not belong to one interface
    /// (systemd-resolved).
    /// - Parameter completion: called once. Fails with `unavailable` if no service of the owner is in the
    ///   expected state (failed for a dead owner, active for a hung one); with `timedOut` or `lost` if the
    ///   restart may have started.
    public func restart(
        _ condition: OwnerCondition, _ completion: @escaping @MainActor (Result<Void, Failure>) -> Void
    ) {
        let done: @MainActor (Result<Void, Failure>) -> Void = { [self] in if !isStopped { completion($0) } }
        let names = services.services(of: condition.owner, for: "")
        services.states(of: names) { [self] states in
            if isStopped { return }
            let wanted: ServiceUnits.State = condition.kind == .dead ? .failed : .active
            guard let service = names.first(where: { states[$0] == wanted }) else {
                return EventLoop.soon { done(.failure(.noService(of: condition.owner))) }
            }
            restart(service, of: condition.kind, done)
        }
    }
}

extension Failure {
    static let atWork = Failure(
        kind: .unavailable,
        description: "nothing to restart: its owners answer, or no program is known to manage it")

    static func toldToDisconnect(_ owner: Owner) -> Failure {
        Failure(kind: .other, description: "\(owner.rawValue) was told to disconnect")
    }

    static func needed(_ owner: Owner, by interface: String) -> Failure {
        Failure(
            kind: .unavailable,
            description: "\(interface) serves other machines and needs \(owner.rawValue), too")
    }

    static func noService(of owner: Owner) -> Failure {
        Failure(
            kind: .unavailable,
            description: "it is not known which service runs \(owner.rawValue) (restart it by hand)")
    }
}
