import Foundation

/// A process that records the kernel's announcements about an interface.
final class Listener {
    private let process: Child

    /// What it has written so far.
    var heard: String { process.standardOutput }

    /// Starts the process, and waits until it receives announcements. `ip monitor` does not say when it is
    /// ready, so the interface's alias is changed until a change is reported.
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
