/// A queue that keeps only the latest value for each interface, so that it has at most one entry per
/// interface.
struct CoalescingQueue<Value> {
    private var waiting: [(interfaceRef: String, value: Value, dropped: Int)] = []

    /// Appends a value. If a value for the same interface is still in the queue, replaces that value instead.
    mutating func post(_ value: Value, about interfaceRef: String) {
        if let place = waiting.firstIndex(where: { $0.interfaceRef == interfaceRef }) {
            waiting[place].value = value
            waiting[place].dropped += 1
        } else {
            waiting.append((interfaceRef, value, 0))
        }
    }

    /// Removes the oldest entry. Returns its value, and how many values it has replaced; nil if the queue is
    /// empty.
    mutating func next() -> (value: Value, dropped: Int)? {
        guard !waiting.isEmpty else { return nil }
        let first = waiting.removeFirst()
        return (first.value, first.dropped)
    }
}
