/// A command that should have succeeded has failed.
struct CommandFailure: Error, CustomStringConvertible {
    var command: String
    var outcome: RunOutcome

    var description: String { "'\(command)' failed: \(outcome)" }
}

/// Runs a command of the test, given as one line without quoting, and returns its standard output.
@discardableResult
func shell(_ command: String) throws -> String {
    let outcome = try Child(command.split(separator: " ").map(String.init)).outcome()
    guard outcome.status == 0 else { throw CommandFailure(command: command, outcome: outcome) }
    return outcome.standardOutput
}
