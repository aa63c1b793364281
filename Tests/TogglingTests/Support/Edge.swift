import Foundation

/// A transition from one state to another, caused by one event.
struct Edge: Hashable, CustomStringConvertible {
    var from: String
    var to: String

    var description: String { "\(from) → \(to)" }

    private static let diagram = "Sources/Toggling/Machine/TogglerState.swift"

    /// The edges of the diagram above `TogglerState`. Each line of the diagram has a state, an arrow, and the
    /// possible next states.
    static func drawn() throws -> Set<Edge> {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let source = try String(contentsOf: root.appending(path: diagram), encoding: .utf8)
        var edges: Set<Edge> = []
        for line in source.split(separator: "\n") where line.hasPrefix("///     ") {
            let parts = line.dropFirst(3).components(separatedBy: "→")
            guard parts.count == 2 else { continue }
            let from = parts[0].trimmingCharacters(in: .whitespaces)
            for to in parts[1].components(separatedBy: ",") {
                edges.insert(Edge(from: from, to: to.trimmingCharacters(in: .whitespaces)))
            }
        }
        return edges
    }
}
