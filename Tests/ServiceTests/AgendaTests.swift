import Testing
import Toggling

@testable import Service

@Suite("The agenda") struct AgendaTests {
    private func entry(_ seconds: Int64, _ id: Int = 1, _ deadline: Deadline = .look) -> Agenda.Entry {
        Agenda.Entry(at: Instant(nanoseconds: seconds * 1_000_000_000), id: id, deadline: deadline)
    }

    @Test("gives what holds, the nearest first, and drops the rest", arguments: 0..<20)
    func order(seed: UInt64) {
        var random = SplitMix64(state: seed)
        var agenda = Agenda()
        let entries = (0..<200).map { entry(Int64(random.number(below: 50)), $0) }
        let putOff = Set(entries.filter { _ in random.number(below: 3) == 0 }.map(\.id))
        for entry in entries { agenda.add(entry) }
        var taken: [Agenda.Entry] = []
        while let next = agenda.nearest({ !putOff.contains($0.id) }) {
            taken.append(next)
            agenda.removeFirst()
        }
        #expect(taken == entries.filter { !putOff.contains($0.id) }.sorted())
        #expect(agenda.count == 0)
    }

    @Test("is rid at once of all that was put off")
    func tidy() {
        var agenda = Agenda()
        for id in 0..<100 { agenda.add(entry(Int64(100 - id), id)) }
        agenda.tidy { $0.id.isMultiple(of: 10) }
        #expect(agenda.count == 10)
        #expect(agenda.nearest { _ in true }?.id == 90)
    }
}
