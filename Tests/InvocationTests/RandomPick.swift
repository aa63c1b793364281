extension RandomNumberGenerator {
    /// A random element of an array, which must not be empty.
    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: elements.indices, using: &self)]
    }
}
