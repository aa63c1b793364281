import Glibc
import Model
import Platform

/// Finds out before an outage whether systemd would let the service restart the owner of an interface
/// (``OwnerRestarter``). Changes nothing.
@MainActor public struct RestartQuery {
    private static let action = "org.freedesktop.systemd1.manage-units"

    private let manager: ServiceManager
    private let directories: [String]
    private let root: String

    /// - Parameters:
    ///   - directories: where to look for busctl(1).
    ///   - root: the root of the file system, without a slash at its end.
    public init(
        _ manager: ServiceManager = .running(), directories: [String] = OwnerCommand.directories,
        root: String = ""
    ) {
        self.manager = manager
        self.directories = directories
        self.root = root
    }

    /// - Parameters:
    ///   - service: the process of the running service; nil: none is known.
    ///   - done: called once, possibly inside this call; with nil if polkit does not answer, or is not asked.
    ///     It is not asked if the service runs as root, if this process does not, if systemd does not run, or
    ///     if the chief owner runs in no unit of its own.
    public func ask(
        service: Int32?, _ interface: String, _ ownership: Ownership,
        _ done: @escaping @MainActor (RestartAccess?) -> Void
    ) {
        // polkit tells only root about other users.
        guard manager == .systemd, geteuid() == 0, let service,
            let user = ProcessStatus(of: service, root: root)?.fileSystemUser, user != 0,
            let unit = unit(interface, ownership)
        else { return done(nil) }
        // systemd asks polkit the same question when a client calls RestartUnit.
        PolkitQuery(directories: directories).ask(
            Self.action, [("unit", unit), ("verb", "restart")], of: service, user
        ) { permission in done(permission.map { RestartAccess(unit: unit, permission: $0) }) }
    }

    /// The unit in which the chief owner runs. In an outage, another owner may stall, and would then be
    /// restarted instead.
    private func unit(_ interface: String, _ ownership: Ownership) -> String? {
        guard let owner = ownership.chief else { return nil }
        let place = OwnerPlace(of: owner, nil, interface, ownership, root: root)
        guard case .service(let name) = place.unit, owner.hosts(for: interface).contains(name) else {
            return nil
        }
        return name
    }
}
