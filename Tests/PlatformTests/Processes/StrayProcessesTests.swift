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
}
