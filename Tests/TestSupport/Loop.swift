import Platform

/// Nothing called the completion in time.
public struct NoAnswer: Error {}

/// How long a test waits for something that should happen at once; long enough for a busy machine.
public let testTimeout: Duration = .seconds(20)

/// The least number of turns of the event loop before a test gives up. Another test may keep the main actor
/// for longer than a whole time-out, and then the loop has had no turn in that time.
private let fewestTurns = 1000

/// Runs the event loop until a condition holds.
/// - Returns: whether the condition held in time.
@MainActor public func eventually(
    within limit: Duration = testTimeout, _ holds: @MainActor () -> Bool
) async -> Bool {
    let end = ContinuousClock.now + limit
    var turns = 0
    while !holds() {
        if turns > fewestTurns, ContinuousClock.now > end { return false }
        await turn()
        turns += 1
    }
    return true
}

/// Runs the event loop for this long.
@MainActor public func runLoop(for duration: Duration) async {
    let end = ContinuousClock.now + duration
    while ContinuousClock.now < end { await turn() }
}

/// Starts something, and runs the event loop until it has called its completion, which it must do once.
/// - Throws: what `start` throws, or ``NoAnswer``.
@MainActor public func outcome<Value>(
    of start: (@escaping @MainActor (Value) -> Void) throws -> Void
) async throws -> Value {
    var answers: [Value] = []
    try start { answers.append($0) }
    guard await eventually({ !answers.isEmpty }) else { throw NoAnswer() }
    precondition(answers.count == 1, "it answered \(answers.count) times")
    return answers[0]
}

/// Runs one turn of the loop, and then lets other tests use the main actor.
@MainActor private func turn() async {
    EventLoop.turn(within: .milliseconds(1))
    await Task.yield()
}
