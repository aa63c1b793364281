/// How much the program prints, and in which format.
public struct Output: Hashable, Sendable {
    public enum Verbosity: Hashable, Sendable, CaseIterable {
        /// Only errors.
        case quiet
        /// Changes, not every check.
        case normal
        /// Healthy cycles too.
        case verbose
    }

    /// One JSON object a line on standard output.
    public var isJSON: Bool
    public var verbosity: Verbosity
    public var log: LogTarget

    public init(isJSON: Bool = false, verbosity: Verbosity = .normal, log: LogTarget = .auto) {
        self.log = log
        self.isJSON = isJSON
        self.verbosity = verbosity
    }
}
