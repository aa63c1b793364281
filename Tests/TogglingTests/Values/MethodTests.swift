import Model
import Testing
import Toggling

@Suite("Recovery methods") struct MethodTests {
    @Test("methods are ordered from the gentlest")
    func order() {
        #expect(
            Method.allCases.shuffled().sorted()
                == [.reassociate, .owner, .restartOwner, .bounce, .rfkill, .rebind, .reset, .hook, .reboot])
    }

    @Test("a guard's order has the method bounce by default")
    func usual() {
        let order = GuardOrder(
            macAddress: nil, snapshot: Snapshot(), downTime: .zero, settle: .zero, restores: true)
        #expect(order.method == .bounce)
    }
}
