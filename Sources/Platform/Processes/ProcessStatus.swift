/// The user, the groups, the capabilities and the state of a process (proc_pid_status(5)).
public struct ProcessStatus {
    private let values: [Substring: [Substring]]

    /// - Parameter root: the root directory of the file system, without a slash at its end.
    /// - Returns: nil if the process does not exist, or its status cannot be read.
    public init?(of process: Int32, root: String = "") {
        guard let text = (try? SmallFile.text("\(root)/proc/\(process)/status")) ?? nil else { return nil }
        var values: [Substring: [Substring]] = [:]
        for line in text.split(separator: "\n") {
            guard let colon = line.firstIndex(of: ":") else { continue }
            values[line[..<colon]] = line[colon...].dropFirst().split { $0 == " " || $0 == "\t" }
        }
        self.values = values
    }

    /// The user and the group by which the kernel judges access to files: the last of four IDs, after the
    /// real, the effective and the saved one.
    public var fileSystemUser: UInt32? { number("Uid", at: 3) }
    public var fileSystemGroup: UInt32? { number("Gid", at: 3) }
    public var supplementaryGroups: [UInt32] { (values["Groups"] ?? []).compactMap { UInt32($0) } }

    /// Whether the process has an effective capability; nil if the status does not say.
    /// - Parameter capability: its number (CAP_* in linux/capability.h).
    public func has(_ capability: Int32) -> Bool? {
        values["CapEff"]?.first.flatMap { UInt64($0, radix: 16) }.map { $0 >> UInt64(capability) & 1 == 1 }
    }

    /// A process that is stopped, or stuck in the kernel.
    public struct Standstill: Equatable, Sendable {
        private let state: Substring
        /// How often the process gave up the processor, and how often the kernel took the processor from it.
        /// If both numbers stay the same, the process has not run in between.
        private let switches: [Substring?]

        fileprivate init(_ state: Substring, _ switches: [Substring?]) {
            self.state = state
            self.switches = switches
        }
    }

    /// How the process stands still: a signal has stopped it (T), or it waits inside the kernel and no signal
    /// can end the wait (D). nil: it is in neither of these states. A process that a debugger has stopped (t)
    /// does not count.
    public var standstill: Standstill? {
        guard let state = values["State"]?.first, state == "T" || state == "D" else { return nil }
        let switches = ["voluntary_ctxt_switches", "nonvoluntary_ctxt_switches"].map { values[$0]?.first }
        return Standstill(state, switches)
    }

    private func number(_ title: Substring, at place: Int) -> UInt32? {
        values[title]?.dropFirst(place).first.flatMap { UInt32($0) }
    }
}
