import Foundation

/// A process that follows the kernel's announcements of an interface and writes them down.
final class Listener {
    private let process: Child

    /// What it has written so far.
    var heard: String { process.standardOutput }

    /// Starts it, and waits until it hears: `ip monitor` does not tell when it begins to listen, so something
    /// harmless is changed until it tells of that.
    init(_ command: [String], in namespace: String, on interface: String) throws {
        let process = try Child(command)
        self.process = process
        var count = 0
        try eventually("the kernel's announcements arrive", detail: process.transcript) {
            count += 1
            try shell("ip -n \(namespace) link set dev \(interface) alias listening-\(count)")
            return !process.standardOutput.isEmpty
        }
    }

    /// A process that runs shell commands on certain announcements.
    /// - Parameter cases: branches of a `case` over the line that `ip -oneline monitor link` prints.
    static func hook(in namespace: String, on interface: String, _ cases: String) throws -> Listener {
        let script = """
            ip -n \(namespace) -oneline monitor link | while read -r line; do
                echo "$line"
                case $line in
                \(cases)
                esac
            done
            """
        return try Listener(["sh", "-c", script], in: namespace, on: interface)
    }
}
