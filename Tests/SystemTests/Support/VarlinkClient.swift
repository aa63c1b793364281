import Foundation
import Testing

/// PyPI's Varlink client, which `Tests/Varlink/prepare` installs.
enum VarlinkClient {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path
    private static let python = "\(root)/.build/varlink/ready"

    static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: python) }

    /// Starts it on a socket.
    static func start(_ socket: String, _ words: [String]) throws -> Child {
        // By its own name: Python finds its environment beside it.
        let interpreter = "\(root)/.build/varlink/bin/python"
        return try Child([interpreter, "\(root)/Tests/Varlink/client", socket] + words)
    }

    /// Calls a method, and gives the reply or the error.
    static func call(
        _ socket: String, _ method: String, _ parameters: String = "{}", as identity: String? = nil
    ) throws -> [String: Any] {
        let words = (identity.map { ["--as", $0] } ?? []) + ["call", method, parameters]
        let outcome = try start(socket, words).outcome()
        try #require(outcome.status == 0, "\(outcome)")
        return try #require(outcome.objects.first, "\(outcome)")
    }
}

extension Trait where Self == ConditionTrait {
    static var needsVarlink: Self {
        .enabled(if: VarlinkClient.isInstalled, "Tests/Varlink/prepare has not installed PyPI's varlink")
    }
}
