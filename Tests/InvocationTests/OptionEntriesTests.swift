import Testing

@testable import Invocation

@Suite("Something for some options") struct OptionEntriesTests {
    @Test("the last that was given counts, and nothing takes it away")
    func values() {
        var entries = OptionEntries<Int>()
        #expect(entries[.delay] == nil)
        entries[.delay] = 1
        entries[.fall] = 2
        entries[.delay] = 3
        #expect(entries[.delay] == 3 && entries[.fall] == 2 && entries[.rise] == nil)
        entries[.delay] = nil
        entries[.rise] = nil
        #expect(entries[.delay] == nil && entries[.fall] == 2)
    }

    @Test("the order in which they were given makes no difference, all else does")
    func equality() {
        func made(_ pairs: (OptionName, Int)...) -> OptionEntries<Int> {
            var entries = OptionEntries<Int>()
            for (name, value) in pairs { entries[name] = value }
            return entries
        }
        #expect(made((.delay, 1), (.fall, 2)) == made((.fall, 2), (.delay, 1)))
        #expect(made((.delay, 1), (.fall, 2)) != made((.delay, 1), (.fall, 3)))
        #expect(made((.delay, 1)) != made((.fall, 1)))
        #expect(made((.delay, 1)) != made((.delay, 1), (.fall, 2)))
        #expect(made((.delay, 1), (.fall, 2)) != made((.delay, 1)))
    }
}
