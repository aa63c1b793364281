/// How the program speaks.
public struct Output: Hashable, Sendable {
    public enum Verbosity: Hashable, Sendable, CaseIterable {
        /// Errors alone.
        case quiet
        /// Changes, not checks.
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
