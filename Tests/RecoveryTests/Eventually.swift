/// Waits until a condition holds, 20 s at most; returns whether it did.
@MainActor func eventually(_ holds: @MainActor () -> Bool) async -> Bool {
    let end = ContinuousClock.now + .seconds(20)
    while !holds() {
        if ContinuousClock.now > end { return false }
        try? await Task.sleep(for: .milliseconds(1))
    }
    return true
}
