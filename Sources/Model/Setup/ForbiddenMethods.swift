/// Methods that the program cannot carry out, because it may not write to the place that they need.
public struct ForbiddenMethods: Hashable, Sendable {
    public var methods: [Method]
    public var place: String
    /// The system's message.
    public var error: String

    public init(methods: [Method], place: String, error: String) {
        self.methods = methods
        self.place = place
        self.error = error
    }
}
