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
            let answer = { (permission: RebootAccess.Permission?) in
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
            run(Self.permissionQuery(service, user)) { outcome in
                switch outcome {
                case .answered(let output): answer(Self.permission(output))
                case .ended(_, let failure) where failure.kind == .timedOut: answer(nil)
                case .ended(_, let failure), .notRun(let failure): answer(.absent(failure.description))
                }
            }
        }
    }

    /// CheckAuthorization of org.freedesktop.PolicyKit1.Authority. With the start time 0, polkit itself looks it up;
    /// the flags 0 say that nobody can be asked for a password.
    private static func permissionQuery(_ process: Int32, _ user: UInt32) -> [String] {
        let name = "org.freedesktop.PolicyKit1"
        let subject = [
            "unix-process", "3", "pid", "u", "\(process)", "start-time", "t", "0", "uid", "i", "\(user)",
        ]
        return [
            "call", name, "/org/freedesktop/PolicyKit1/Authority", "\(name).Authority", "CheckAuthorization",
        ]
            + ["(sa{sv})sa{ss}us"] + subject + [action, "0", "0", ""]
    }

    /// - Parameter output: that of busctl, such as `(bba{ss}) true false 0`: whether it is permitted, whether it would be
    ///   after a password, and details.
    static func permission(_ output: [UInt8]) -> RebootAccess.Permission? {
        let words = output.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }
        guard words.count >= 2, words[0].elementsEqual("(bba{ss})".utf8) else { return nil }
        if words[1].elementsEqual("true".utf8) { return .given }
        return words[1].elementsEqual("false".utf8) ? .refused : nil
    }

    private func run(_ arguments: [String], _ done: @escaping @MainActor (OwnerCommand.Outcome) -> Void) {
        let command = OwnerCommand(
            program: MachineReboot.program, arguments: ["--system"] + arguments, timeout: Self.timeout)
        do throws(Failure) { _ = try command.start(in: directories, done) } catch { done(.notRun(error)) }
    }
}
