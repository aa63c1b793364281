import Model
import Platform

/// Restarts the system service of an interface's owner (``Method/restartOwner``).
@MainActor public final class OwnerRestarter {
    private let services: ServiceUnits
    private let query: OwnerConditionQuery
    private var isStopped = false

    public init(
        _ manager: ServiceManager = .running(), directories: [String] = OwnerCommand.directories,
        scripts: String = OwnerCommand.serviceScripts,
        supplicantDirectory: String = ControlSocket.supplicantDirectory
    ) {
        services = ServiceUnits(manager, directories: directories, scripts: scripts)
        query = OwnerConditionQuery(
            manager, directories: directories, scripts: scripts, supplicantDirectory: supplicantDirectory)
    }

    /// Stops. `completion` is not called any more. A service that was killed is still restarted.
    public func stop() { isStopped = true }

    /// Restarts the service of an owner, once.
    /// - Parameters:
    ///   - interface: the name of the interface.
    ///   - evenIfAtWork: whether to restart the chief owner even if all owners answer. Otherwise the owners
    ///     are asked once more, and one is restarted only if it is dead or hangs.
    ///   - completion: called once. Fails with `unavailable` if there is no owner to restart, or no known
    ///     service for it; with `other` if a user has told the owner to disconnect, which a restart would
    ///     undo; with `timedOut` or `lost` if the restart may have started.
    public func restart(
        _ interface: String, _ ownership: Ownership, evenIfAtWork: Bool,
        _ completion: @escaping @MainActor (Result<Void, Failure>) -> Void
    ) {
        let done: @MainActor (Result<Void, Failure>) -> Void = { [self] in if !isStopped { completion($0) } }
        query.ask(interface, ownership) { [self] condition in
            if isStopped { return }
            if let condition, condition.kind == .toldToDisconnect {
                return EventLoop.soon { done(.failure(.toldToDisconnect(condition.owner))) }
            }
            let stalled = condition?.kind.callsForRestart == true ? condition : nil
            guard let owner = stalled?.owner ?? (evenIfAtWork ? ownership.chief : nil) else {
                return EventLoop.soon { done(.failure(.atWork)) }
            }
            let names = services.services(of: owner, for: interface)
            services.states(of: names) { [self] states in
                if isStopped { return }
                let wanted: ServiceUnits.State = stalled?.kind == .dead ? .failed : .active
                guard let service = names.first(where: { states[$0] == wanted }) else {
                    return EventLoop.soon { done(.failure(.noService(of: owner))) }
                }
                services.restart(service, kills: stalled?.kind == .hung, done)
            }
        }
    }
}

extension Failure {
    fileprivate static let atWork = Failure(
        kind: .unavailable, description: "its owners answer, or nobody is known to manage it")

    fileprivate static func toldToDisconnect(_ owner: Owner) -> Failure {
        Failure(kind: .other, description: "\(owner.rawValue) was told to disconnect")
    }

    fileprivate static func noService(of owner: Owner) -> Failure {
        Failure(kind: .unavailable, description: "\(owner.rawValue) runs in no service that is known")
    }
}
