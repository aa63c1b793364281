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
///   - limit: long enough for a program that is many times slower, because of a sanitizer or of other programs on
///     the processors.
///   - detail: what to show if the condition is not met, such as a program's output.
func eventually(
    _ sentence: String, within limit: Duration = .seconds(120), detail: @autoclosure () -> String = "",
    _ condition: () throws -> Bool
) throws {
    let deadline = ContinuousClock.now + limit
    while try !condition() {
        guard ContinuousClock.now < deadline else { throw Overdue(sentence: sentence, detail: detail()) }
        usleep(Pause.microseconds)
    }
}

private enum Pause {
    /// The time between two checks of a condition. It is short compared with all times that the tests
    /// measure.
    static let microseconds: UInt32 = 5000
}
