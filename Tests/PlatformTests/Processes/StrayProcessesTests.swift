import Glibc
import TestSupport
import Testing

@testable import Platform

@MainActor struct StrayProcessesTests {
    @Test("orphans are adopted only if the kernel lists the children of a thread", arguments: [false, true])
    func adopted(hasLists: Bool) throws {
        let scratch = try Scratch()
        try scratch.write("", to: "\(getpid())/\(hasLists ? "children" : "comm")")
        var isAsked = false
        StrayProcesses.adopt(tasks: scratch.path) {
            isAsked = true
            // The test's own process must adopt nothing: it has children that other tests have started.
            return -1
        }
        #expect(isAsked == hasLists)
    }

    @Test("the number of a child is remembered until the child is reaped, even if no orphans are adopted")
    func forgotten() async throws {
        var endings = 0
        let before = StrayProcesses.own
        try ChildProcess.start("/bin/true", arguments: [], timeout: .seconds(60)) { _, _ in endings += 1 }
        _ = try HelperProcess.start(
            "/bin/true", longest: 1, received: { _ in }, ended: { _ in endings += 1 })
        let started = StrayProcesses.own.subtracting(before)
        #expect(started.count == 2)
        #expect(await eventually { endings == 2 })
        #expect(StrayProcesses.own.isDisjoint(with: started))
    }
}
