import Model
import Toggling

/// The deadlines of all togglers, the nearest first.
///
/// The queue is a binary heap. The entry of a deadline that was moved or cancelled stays until it is the
/// first one, or until `tidy`, because removing it would require a search. The caller decides which entries
/// are still valid.
struct DeadlineQueue {
    struct Entry: Comparable {
        var at: Instant
        var id: Int
        var deadline: Deadline

        static func < (one: Entry, other: Entry) -> Bool { (one.at, one.id) < (other.at, other.id) }
    }

    private var entries: [Entry] = []

    /// The number of entries, including outdated ones.
    var count: Int { entries.count }

    mutating func add(_ entry: Entry) {
        entries.append(entry)
        var place = entries.count - 1
        while place > 0 {
            let parent = (place - 1) / 2
            guard entries[place] < entries[parent] else { return }
            entries.swapAt(place, parent)
            place = parent
        }
    }

    /// The nearest valid entry; nil: there is none. Outdated entries before it are dropped.
    mutating func nearest(_ holds: (Entry) -> Bool) -> Entry? {
        while let first = entries.first {
            if holds(first) { return first }
            removeFirst()
        }
        return nil
    }

    /// Removes the nearest entry.
    mutating func removeFirst() {
        guard let last = entries.popLast(), !entries.isEmpty else { return }
        entries[0] = last
        var place = 0
        while true {
            var least = place
            let child = 2 * place + 1
            if child < entries.count, entries[child] < entries[least] { least = child }
            if child + 1 < entries.count, entries[child + 1] < entries[least] { least = child + 1 }
            guard least != place else { return }
            entries.swapAt(place, least)
            place = least
        }
    }

    /// Removes all outdated entries.
    mutating func tidy(_ holds: (Entry) -> Bool) {
        let kept = entries.filter(holds)
        entries = []
        for entry in kept { add(entry) }
    }
}
