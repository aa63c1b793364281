import Foundation
import Testing

/// Debian's promtool and node_exporter, which `Tests/Monitoring/prepare` unpacks.
enum Prometheus {
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path
    private static let directory = "\(root)/.build/monitoring"
    static let tool = directory + "/promtool"
    static let exporter = directory + "/prometheus-node-exporter"

    static var isPrepared: Bool { FileManager.default.fileExists(atPath: directory + "/ready") }

    /// What `promtool check metrics` says about a page; empty if the page is valid.
    static func complaints(of page: String) throws -> String {
        let outcome = try Child(["sh", "-c", #"exec "$1" check metrics <"$2""#, "sh", tool, page]).outcome()
        return outcome.status == 0 && outcome.words.isEmpty ? "" : "\(outcome)"
    }
}

extension Trait where Self == ConditionTrait {
    static var needsPrometheus: Self {
        .enabled(if: Prometheus.isPrepared, "Tests/Monitoring/prepare has not fetched promtool")
    }
}
