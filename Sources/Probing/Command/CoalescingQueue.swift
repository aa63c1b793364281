/// What waits to be told, of each subject the latest alone: never longer than there are subjects.
struct CoalescingQueue<Value> {
    private var waiting: [(interfaceRef: String, value: Value, dropped: Int)] = []

    var isEmpty: Bool { waiting.isEmpty }

    /// Puts it behind all others; or, where something of the same subject waits, in its place.
    mutating func post(_ value: Value, about interfaceRef: String) {
        if let place = waiting.firstIndex(where: { $0.interfaceRef == interfaceRef }) {
            waiting[place].value = value
            waiting[place].dropped += 1
        } else {
            waiting.append((interfaceRef, value, 0))
        }
    }

    /// The one that came first, and how many others it took the place of.
    mutating func next() -> (value: Value, dropped: Int)? {
        guard !waiting.isEmpty else { return nil }
        let first = waiting.removeFirst()
        return (first.value, first.dropped)
    }
}
