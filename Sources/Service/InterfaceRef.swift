import Model

/// The interface that a toggler decides for, as currently known.
public struct InterfaceRef: Hashable, Sendable {
    /// Distinguishes it from every other toggler of this process.
    public var id: Int
    public var index: InterfaceIndex
    public var name: String

    public init(id: Int, index: InterfaceIndex, name: String) {
        self.id = id
        self.index = index
        self.name = name
    }
}
