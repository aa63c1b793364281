import Model
import Testing
import Toggling

@Suite("Methods") struct MethodTests {
    @Test("they stand in the order of gentleness")
    func order() {
        #expect(
            Method.allCases.shuffled().sorted() == [.reassociate, .owner, .bounce, .rfkill, .rebind, .hook])
    }

    @Test("a guard's order is about a bounce where nothing else is said")
    func usual() {
        let order = GuardOrder(
            macAddress: nil, snapshot: Snapshot(), hold: .zero, settle: .zero, restores: true)
        #expect(order.method == .bounce)
    }
}
