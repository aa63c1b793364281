/// Values of some options. They are stored as a list, because few options are ever given, and a short list is
/// faster to make and to search than a dictionary.
struct OptionEntries<Value: Sendable>: Sendable {
    private struct Entry: Sendable {
        var name: OptionName
        var value: Value
    }

    private var entries: [Entry] = []

    subscript(name: OptionName) -> Value? {
        get { entries.first { $0.name == name }?.value }
        set {
            let place = entries.firstIndex { $0.name == name }
            switch (place, newValue) {
            case (let place?, let value?): entries[place].value = value
            case (let place?, nil): entries.remove(at: place)
            case (nil, let value?): entries.append(Entry(name: name, value: value))
            case (nil, nil): break
            }
        }
    }
}

extension OptionEntries: Equatable where Value: Equatable {
    /// Whether both have the same values, in whatever order they were given.
    static func == (one: OptionEntries, other: OptionEntries) -> Bool {
        one.entries.count == other.entries.count && one.entries.allSatisfy { other[$0.name] == $0.value }
    }
}
