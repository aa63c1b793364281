/// A call to a program on the system bus, which busctl(1) makes.
package struct BusCall: Hashable, Sendable {
    package enum Operation: Hashable, Sendable {
        /// Calls a method. The signature (D-Bus specification) has the types of the arguments, which are written as
        /// busctl(1) reads them.
        case method(String, signature: String = "", arguments: [String] = [])
        /// Reads a property.
        case property(String)
    }

    /// The name of the program that makes the call.
    package static let program = "busctl"

    /// The name that the called program has on the bus.
    var destination: String
    /// The path of the object.
    var path: String
    var interface: String
    var operation: Operation
    /// Whether the bus starts the program if it does not run.
    var startsProgram: Bool
    /// How long busctl waits for the answer; nil: 25 seconds (busctl(1), `--timeout`).
    package var timeout: Duration?

    package init(
        _ destination: String, _ path: String, _ interface: String, _ operation: Operation,
        startsProgram: Bool = true
    ) {
        self.destination = destination
        self.path = path
        self.interface = interface
        self.operation = operation
        self.startsProgram = startsProgram
    }

    /// The arguments for busctl(1).
    package var arguments: [String] {
        var arguments = ["--system"]
        if let timeout { arguments.append("--timeout=\(timeout.components.seconds)") }
        if !startsProgram { arguments.append("--auto-start=no") }
        switch operation {
        case .method(let name, let signature, let values):
            arguments += ["call", destination, path, interface, name]
            if !signature.isEmpty { arguments += [signature] + values }
        case .property(let name): arguments += ["get-property", destination, path, interface, name]
        }
        return arguments
    }
}
