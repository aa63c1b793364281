import Glibc
import Model
import Platform

/// Asks polkit(8), by busctl(1), what the user of a process may do. polkit tells only root about other users.
@MainActor struct PolkitQuery {
    /// How long the question may take.
    private static let timeout: Duration = .seconds(4)

    private let directories: [String]

    /// - Parameter directories: where to look for busctl.
    init(directories: [String]) { self.directories = directories }

    /// - Parameters:
    ///   - action: the name of the action.
    ///   - details: what the action is about, as the program that carries it out tells polkit.
    ///   - done: called once, possibly inside this call; with nil if polkit does not answer in time, or if
    ///     its answer is invalid.
    func ask(
        _ action: String, _ details: [(String, String)] = [], of process: Int32, _ user: UInt32,
        _ done: @escaping @MainActor (PolkitPermission?) -> Void
    ) {
        let command = OwnerCommand(
            program: MachineReboot.program,
            arguments: ["--system"] + Self.call(action, details, process, user), timeout: Self.timeout)
        command.run(in: directories) { outcome in
            switch outcome {
            case .answered(let output): done(Self.permission(output))
            case .ended(_, let failure) where failure.kind == .timedOut: done(nil)
            case .ended(_, let failure), .notRun(let failure): done(.absent(failure.description))
            }
        }
    }

    /// CheckAuthorization of org.freedesktop.PolicyKit1.Authority. The start time 0 makes polkit look up the
    /// start time of the process itself. The flags 0 say that nobody can be asked for a password.
    private static func call(
        _ action: String, _ details: [(String, String)], _ process: Int32, _ user: UInt32
    ) -> [String] {
        let name = "org.freedesktop.PolicyKit1"
        let subject = [
            "unix-process", "3", "pid", "u", "\(process)", "start-time", "t", "0", "uid", "i", "\(user)",
        ]
        let pairs: [String] = details.flatMap { [$0.0, $0.1] }
        var words = [
            "call", name, "/org/freedesktop/PolicyKit1/Authority", "\(name).Authority", "CheckAuthorization",
            "(sa{sv})sa{ss}us",
        ]
        words += subject
        words += [action, "\(details.count)"]
        words += pairs
        words += ["0", ""]
        return words
    }

    /// - Parameter output: the output of busctl, such as `(bba{ss}) true false 0`. It says whether the action
    ///   is permitted, whether it would be permitted after a password, and details.
    static func permission(_ output: [UInt8]) -> PolkitPermission? {
        let words = output.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }
        guard words.count >= 2, words[0].elementsEqual("(bba{ss})".utf8) else { return nil }
        if words[1].elementsEqual("true".utf8) { return .given }
        return words[1].elementsEqual("false".utf8) ? .refused : nil
    }
}
