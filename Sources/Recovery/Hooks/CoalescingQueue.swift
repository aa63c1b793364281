/// A queue that keeps only the latest value for each subject: never longer than the number of subjects.
struct CoalescingQueue<Value> {
    private var waiting: [(interfaceRef: String, value: Value, dropped: Int)] = []

    var isEmpty: Bool { waiting.isEmpty }

    /// Appends it; or, if a value for the same subject waits, replaces that one.
    mutating func post(_ value: Value, about interfaceRef: String) {
        if let place = waiting.firstIndex(where: { $0.interfaceRef == interfaceRef }) {
            waiting[place].value = value
            waiting[place].dropped += 1
        } else {
            waiting.append((interfaceRef, value, 0))
        }
    }

    /// The oldest entry, and how many values it has replaced.
    mutating func next() -> (value: Value, dropped: Int)? {
        guard !waiting.isEmpty else { return nil }
        let first = waiting.removeFirst()
        return (first.value, first.dropped)
    }
}
