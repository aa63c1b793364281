import Testing

@testable import Model

/// The expected arguments are those of busctl(1) of systemd 252.
@Suite("A call to a program on the system bus") struct BusCallTests {
    private static func call(
        _ operation: BusCall.Operation, startsProgram: Bool = true, timeout: Duration? = nil
    ) -> [String] {
        var call = BusCall(
            "org.example", "/org/example", "org.example.Manager", operation, startsProgram: startsProgram)
        call.timeout = timeout
        return call.arguments
    }

    private static let object = ["org.example", "/org/example", "org.example.Manager"]

    @Test("a method is called, with its arguments behind their signature")
    func method() {
        #expect(Self.call(.method("List")) == ["--system", "call"] + Self.object + ["List"])
        let arguments = ["3", "", "--x"]
        #expect(
            Self.call(.method("Set", signature: "iss", arguments: arguments))
                == ["--system", "call"] + Self.object + ["Set", "iss", "3", "", "--x"])
    }

    @Test("a property is read")
    func property() {
        #expect(Self.call(.property("State")) == ["--system", "get-property"] + Self.object + ["State"])
    }

    @Test("options come before the command")
    func options() {
        #expect(
            Self.call(.method("List"), startsProgram: false)
                == ["--system", "--auto-start=no", "call"] + Self.object + ["List"])
        #expect(
            Self.call(.property("State"), timeout: .milliseconds(61_500))
                == ["--system", "--timeout=61", "get-property"] + Self.object + ["State"])
        #expect(
            Self.call(.method("List"), startsProgram: false, timeout: .seconds(5))
                == ["--system", "--timeout=5", "--auto-start=no", "call"] + Self.object + ["List"])
    }
}
