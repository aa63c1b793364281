extension RandomNumberGenerator {
    /// One of the elements, at least one of which must exist.
    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: elements.indices, using: &self)]
    }
}
