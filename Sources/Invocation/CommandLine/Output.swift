import Model

/// How much the program prints, and in which format.
public struct Output: Hashable, Sendable {
    /// Whether standard output gets JSON, one object on each line.
    public var isJSON = false
    public var verbosity = Verbosity.normal
    public var log = LogTarget.auto
}
