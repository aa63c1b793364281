import Foundation
import Reporting
import Service
import Testing

/// Traces in the repository.
enum GoldenTrace {
    private static let isUpdate = ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1"
    private static let directory = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Traces")
    private static let suffix = ".trace"

    static func names(in part: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory.appending(path: part).path)
            .filter { $0.hasSuffix(suffix) }.map { String($0.dropLast(suffix.count)) }.sorted()
    }

    static func stored(_ name: String) throws -> String {
        try String(contentsOf: directory.appending(path: name + suffix), encoding: .utf8)
    }

    /// The same trace with the current core's decisions.
    static func replayed(_ text: String) throws -> String {
        var replay = Replay()
        var decided: [Int: [String]] = [:]
        var lines: [(number: Int, text: Substring)] = []
        for (number, line) in text.split(separator: "\n").enumerated() {
            lines.append((number + 1, line))
            for case .differs(let difference) in try replay.take(Array(line.utf8)[...]) {
                decided[difference.line] = difference.today.map { Trace.decision($0, difference.stamp.id) }
            }
        }
        for case .differs(let difference) in try replay.end() {
            decided[difference.line] = difference.today.map { Trace.decision($0, difference.stamp.id) }
        }
        return merged(lines, decided)
    }

    /// The trace in which new decisions replace the recorded ones wherever they differ.
    private static func merged(_ lines: [(number: Int, text: Substring)], _ decided: [Int: [String]])
        -> String
    {
        var text = ""
        var isReplaced = false
        for (number, line) in lines {
            let isDecision = line.hasPrefix("{\"id\":")
            if isDecision, isReplaced { continue }
            text += line + "\n"
            isReplaced = decided[number] != nil
            text += decided[number]?.joined() ?? ""
        }
        return text
    }

    /// Compares a text with the stored trace, and reports the first difference. With UPDATE_GOLDEN=1, writes
    /// the file anew first.
    static func compare(_ text: String, with name: String) throws {
        let url = directory.appending(path: name + suffix)
        if isUpdate { try text.write(to: url, atomically: true, encoding: .utf8) }
        let stored = try stored(name)
        guard stored != text else { return }
        let pairs = zip(stored.split(separator: "\n"), text.split(separator: "\n"))
        let place = pairs.prefix { $0 == $1 }.count
        let rest = Array(pairs.dropFirst(place).prefix(4))
        let changed = stored.split(separator: "\n").difference(from: text.split(separator: "\n")).count
        Issue.record(
            """
            Tests/Traces/\(name)\(suffix):\(place + 1): decided otherwise, \(changed) lines differ
            (UPDATE_GOLDEN=1 contrib/test --only unit --filter Golden writes it anew; `git diff` then shows all of it)
            in the file:
            \(rest.map { $0.0 }.joined(separator: "\n"))
            today:
            \(rest.map { $0.1 }.joined(separator: "\n"))
            """)
    }
}
