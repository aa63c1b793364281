import Foundation

/// The program under test: the executable beside the test bundle.
enum Program {
    /// WIFI_TOGGLER_BINARY names another one.
    static let path: String = {
        if let named = ProcessInfo.processInfo.environment["WIFI_TOGGLER_BINARY"] { return named }
        let bundle = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath()
        return bundle.deletingLastPathComponent().appendingPathComponent("wifi-toggler").path
    }()

    /// A prefix for the program's command line. With it, every write to standard output fails (full(4)).
    static let withFullOutput = ["bash", "-c", "exec \"$@\" >/dev/full", "bash"]

    /// Runs the program in this process's own namespaces, for commands that need no interface.
    static func run(_ arguments: [String]) throws -> RunOutcome {
        try Child([path] + arguments).outcome()
    }
}
