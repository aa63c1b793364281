import Testing

/// The state of the program in which something happens to its interface: how to bring the program into the
/// state, and how to recognise it.
enum ProgramState: String, CaseIterable, CustomTestStringConvertible {
    case waiting, probing, keptDown, settling

    /// Options that keep `run` in that state as long as a test needs.
    var serviceOptions: [String] {
        switch self {
        case .waiting: ["--interval", "1h", "--probe", "none"]
        case .probing: ["--interval", "1h", "--timeout", "10s"]
        case .keptDown: ["--interval", "1h", "--force", "--delay", "8s", "--settle", "0", "--probe", "none"]
        case .settling: ["--interval", "1h", "--force", "--delay", "0", "--settle", "8s", "--probe", "none"]
        }
    }

    /// A one-shot that stays in that state, with its options.
    var oneShot: (command: String, options: [String]) {
        switch self {
        case .waiting: ("reconnect", ["--recheck", "60s", "--timeout", "100ms"])
        case .probing: ("reconnect", ["--timeout", "60s"])
        case .keptDown: ("toggle", ["--delay", "8s", "--settle", "0", "--probe", "none"])
        case .settling: ("toggle", ["--delay", "0", "--settle", "8s", "--probe", "none"])
        }
    }

    /// The name of the state, as the program logs it with `--verbose`.
    var name: String {
        switch self {
        case .waiting: "waiting"
        case .probing: "checking"
        case .keptDown: "keeping down"
        case .settling: "awaiting link"
        }
    }

    /// Prepares the link so that the program enters that state.
    func prepare(_ link: VirtualLink) throws {
        switch self {
        case .waiting, .probing: try link.muteFarEnd()
        case .keptDown: break
        // Without a carrier the link does not become operational.
        case .settling: try link.farIP("link set \(VirtualLink.far) down")
        }
    }

    /// Waits until the program is in that state.
    func reach(_ program: Child) throws {
        try eventually("the program is \(name)", detail: program.transcript) {
            program.standardError.contains("→ \(name)")
        }
    }

    var testDescription: String { rawValue }
}
