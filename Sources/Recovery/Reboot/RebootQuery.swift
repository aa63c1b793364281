import Glibc
import Model
import Platform

/// Finds out before an outage whether ``MachineReboot`` would work for the service. Changes nothing.
@MainActor public struct RebootQuery {
    /// CAP_SYS_BOOT (capabilities(7)).
    private static let reboots: Int32 = 22
    private static let action = "org.freedesktop.login1.reboot"
    /// How long each question may take.
    private static let timeout: Duration = .seconds(4)

    private let directories: [String]
    private let root: String

    /// - Parameters:
    ///   - directories: where to look for busctl(1).
    ///   - root: the root of the file system, without a slash at its end.
    public init(directories: [String] = OwnerCommand.directories, root: String = "") {
        self.directories = directories
        self.root = root
    }

    /// - Parameters:
    ///   - service: the process of the running service; nil: none is known.
    ///   - done: called once, possibly inside this call.
    public func ask(service: Int32?, _ done: @escaping @MainActor (RebootAccess) -> Void) {
        let status = service.flatMap { ProcessStatus(of: $0, root: root) }
        let user = status?.fileSystemUser
        let mayForce = user == 0 && status?.has(Self.reboots) == true
        run(MachineReboot.inhibitorsQuery) { logind in
            let answer: @MainActor (PolkitPermission?) -> Void = { permission in
                let logind: RebootAccess.Logind =
                    switch logind {
                    case .answered(let output): .answers(isInhibited: MachineReboot.inhibits(output))
                    case .ended(_, let failure), .notRun(let failure): .absent(failure.description)
                    }
                done(RebootAccess(logind: logind, permission: permission, mayForce: mayForce))
            }
            // logind lets root reboot without polkit, and polkit tells only root about other users.
            guard let service, let user, user != 0, geteuid() == 0, case .answered = logind else {
                return answer(user == 0 ? .given : nil)
            }
            PolkitQuery(directories: directories).ask(Self.action, of: service, user, answer)
        }
    }

    private func run(_ arguments: [String], _ done: @escaping @MainActor (OwnerCommand.Outcome) -> Void) {
        let command = OwnerCommand(
            program: MachineReboot.program, arguments: ["--system"] + arguments, timeout: Self.timeout)
        command.run(in: directories, done)
    }
}
