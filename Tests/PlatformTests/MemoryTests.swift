import CLinux
import Foundation
import Testing

@testable import Platform

@Suite("Memory that is given back", .serialized)
struct MemoryTests {
    /// Of the mappings in which this program's constants and code are, in KB.
    private func resident() throws -> Int {
        let (start, end) = (UInt(bitPattern: start_of_code()), UInt(bitPattern: end_of_code()))
        var isOurs = false
        var sum = 0
        // To its end: ThreadSanitizer's own mappings come first, and are more than one reading takes.
        let smaps =
            try FileHandle(forReadingFrom: URL(fileURLWithPath: "/proc/self/smaps")).readToEnd() ?? Data()
        for line in String(decoding: smaps, as: UTF8.self).split(separator: "\n") {
            let words = line.split(separator: " ")
            let bounds = words[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            if bounds.count == 2 {
                isOurs = bounds[0] < end && start < bounds[1]
            } else if isOurs, words[0] == "Rss:" {
                sum += Int(words[1]) ?? 0
            }
        }
        return sum
    }

    /// Has every page of them mapped. Not by a pointer: AddressSanitizer watches over what lies between constants.
    private func content() throws -> Data {
        let memory = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/proc/self/mem"))
        try memory.seek(toOffset: UInt64(UInt(bitPattern: start_of_code())))
        return try #require(try memory.read(upToCount: end_of_code() - start_of_code()))
    }

    @Test("code that was run is given back, holds what it held, and runs again")
    func code() throws {
        let bytes = try content()
        let before = try resident()
        Malloc.giveBack()
        // Other tests run meanwhile.
        #expect(try resident() < before * 3 / 4, "of \(before) KB")
        #expect(try content() == bytes)
    }
}
