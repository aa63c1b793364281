import Model

extension Settings {
    /// The names of the settings that have their default values.
    var unchanged: [String] {
        zip(Mirror(reflecting: self).children, Mirror(reflecting: Settings()).children)
            .filter { String(reflecting: $0.value) == String(reflecting: $1.value) }
            .compactMap { $0.0.label }
    }
}
