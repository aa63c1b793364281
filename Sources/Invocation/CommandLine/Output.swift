import Model

/// How much the program prints, and in which format.
public struct Output: Hashable, Sendable {
    /// One JSON object a line on standard output.
    public var isJSON = false
    public var verbosity = Verbosity.normal
    public var log = LogTarget.auto
}
