import Model

/// The interface for which a toggler decides, with its current index and name.
public struct InterfaceRef: Hashable, Sendable {
    /// The toggler's id, unique in this process.
    public var id: Int
    public var index: InterfaceIndex
    public var name: String

    public init(id: Int, index: InterfaceIndex, name: String) {
        self.id = id
        self.index = index
        self.name = name
    }
}
