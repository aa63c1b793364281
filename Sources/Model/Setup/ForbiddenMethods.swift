/// Methods that the system does not let the program carry out, because they write to a place where it may not.
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
