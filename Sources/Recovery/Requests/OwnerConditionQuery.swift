import Model
import Platform

/// Asks the owners of an interface whether they still want to connect it (``OwnerCondition``), by their own
/// command line tools. It changes nothing.
@MainActor public struct OwnerConditionQuery {
    private let directories: [String]

    public init(directories: [String] = OwnerCommand.directories) { self.directories = directories }

    /// - Parameters:
    ///   - interface: its name.
    ///   - done: called once, possibly inside this call. nil: the owner is at work, cannot be asked, or does
    ///     not answer.
    public func ask(
        _ interface: String, _ ownership: Ownership, _ done: @escaping @MainActor (OwnerCondition?) -> Void
    ) {
        // A program would take the name for an option.
        guard interface.utf8.first != UInt8(ascii: "-"), let requests = try? ownership.requests(),
            let request = requests.first(where: { $0.conditionQuery(on: interface) != nil }),
            let program = request.program, let arguments = request.conditionQuery(on: interface)
        else { return done(nil) }
        let command = OwnerCommand(
            program: program, arguments: arguments, timeout: OwnerRequest.queryTimeout)
        let child = try? command.start(in: directories) { outcome in
            guard case .answered(let answer) = outcome else { return done(nil) }
            done(request.condition(from: answer))
        }
        if child == nil { done(nil) }
    }
}
