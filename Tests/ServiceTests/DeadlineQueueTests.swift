import Model
import Testing
import Toggling

@testable import Service

@Suite("The queue of deadlines") struct DeadlineQueueTests {
    private func entry(_ seconds: Int64, _ id: Int = 1, _ deadline: Deadline = .nextCheck)
        -> DeadlineQueue.Entry
    {
        DeadlineQueue.Entry(at: Instant(nanoseconds: seconds * 1_000_000_000), id: id, deadline: deadline)
    }

    @Test("valid deadlines are returned, the nearest first, and outdated ones dropped", arguments: 0..<20)
    func order(seed: UInt64) {
        var random = SplitMix64(state: seed)
        var deadlineQueue = DeadlineQueue()
        let entries = (0..<200).map { entry(Int64(random.number(below: 50)), $0) }
        let putOff = Set(entries.filter { _ in random.number(below: 3) == 0 }.map(\.id))
        for entry in entries { deadlineQueue.add(entry) }
        var taken: [DeadlineQueue.Entry] = []
        while let next = deadlineQueue.nearest({ !putOff.contains($0.id) }) {
            taken.append(next)
            deadlineQueue.removeFirst()
        }
        #expect(taken == entries.filter { !putOff.contains($0.id) }.sorted())
        #expect(deadlineQueue.count == 0)
    }

    @Test("all outdated deadlines are removed at once")
    func tidy() {
        var deadlineQueue = DeadlineQueue()
        for id in 0..<100 { deadlineQueue.add(entry(Int64(100 - id), id)) }
        deadlineQueue.tidy { $0.id.isMultiple(of: 10) }
        #expect(deadlineQueue.count == 10)
        #expect(deadlineQueue.nearest { _ in true }?.id == 90)
    }
}
