import Testing

@testable import Invocation

@Suite("A table of values for some of the options") struct OptionEntriesTests {
    @Test("the last value assigned to an option counts, and assigning nil removes the value")
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

    @Test("two tables are equal if they have equal values for the same options, in any order")
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
