import Foundation

/// A condition was not met in time; the sentence says which.
struct Overdue: Error, CustomStringConvertible {
    var sentence: String
    var detail: String

    var description: String { "not in time: \(sentence)\n\(detail)" }
}

/// Waits until a condition holds, and throws `Overdue` if it does not in time.
/// - Parameters:
///   - sentence: what is waited for.
///   - detail: what to show if it does not come, such as what a program wrote.
func eventually(
    _ sentence: String, within limit: Duration = .seconds(30), detail: @autoclosure () -> String = "",
    _ condition: () throws -> Bool
) throws {
    let deadline = ContinuousClock.now + limit
    while try !condition() {
        guard ContinuousClock.now < deadline else { throw Overdue(sentence: sentence, detail: detail()) }
        usleep(Pause.microseconds)
    }
}

private enum Pause {
    /// Between two checks of a condition: short compared with everything that is measured here.
    static let microseconds: UInt32 = 5000
}
