import Foundation
import Testing

/// PyPI's Varlink client, which `Tests/Varlink/prepare` installs.
enum VarlinkClient {
    fileprivate static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path
    private static let python = "\(root)/.build/varlink/ready"

    static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: python) }

    /// Starts it on a socket.
    static func start(_ socket: String, _ words: [String]) throws -> Child {
        // Called by its path in the virtual environment, by which Python finds that environment.
        let interpreter = "\(root)/.build/varlink/bin/python"
        return try Child([interpreter, "\(root)/Tests/Varlink/client", socket] + words)
    }

    /// Calls a method, and returns the reply or the error.
    static func call(
        _ socket: String, _ method: String, _ parameters: String = "{}", as identity: String? = nil
    ) throws -> [String: Any] {
        let words = (identity.map { ["--as", $0] } ?? []) + ["call", method, parameters]
        let outcome = try start(socket, words).outcome()
        try #require(outcome.status == 0, "\(outcome)")
        return try #require(outcome.objects.first, "\(outcome)")
    }
}

/// systemd's Varlink client, which `Tests/Varlink/prepare` unpacks.
enum Varlinkctl {
    private static let program = "\(VarlinkClient.root)/.build/varlinkctl/run"

    static var isUnpacked: Bool { FileManager.default.isExecutableFile(atPath: program) }

    static func start(_ words: [String]) throws -> Child { try Child([program] + words) }

    /// What it prints with `--json=short`; with `--more` each object begins with a record separator (RFC
    /// 7464).
    static func objects(in text: String) -> [[String: Any]] {
        RunOutcome.objects(in: text.replacing("\u{1e}", with: ""))
    }
}

extension Trait where Self == ConditionTrait {
    static var needsVarlink: Self {
        .enabled(if: VarlinkClient.isInstalled, "Tests/Varlink/prepare has not installed PyPI's varlink")
    }

    static var needsVarlinkctl: Self {
        .enabled(if: Varlinkctl.isUnpacked, "Tests/Varlink/prepare has not unpacked systemd's varlinkctl")
    }
}
