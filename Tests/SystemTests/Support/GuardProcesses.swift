import Foundation
import Glibc

/// The guards of a program, from the kernel's process list.
enum GuardProcesses {
    /// The name that the program gives to its guards (PR_SET_NAME).
    private static let name = "wt-guard"

    /// The processes with that name whose parent is the program (proc_tid_children(5)).
    static func children(of parent: pid_t) -> [pid_t] {
        allChildren(of: parent).filter { status($0, "Name") == name }
    }

    /// All child processes of a process.
    static func allChildren(of parent: pid_t) -> [pid_t] {
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(parent)/task")) ?? []
        return threads.flatMap { thread in
            let path = "/proc/\(parent)/task/\(thread)/children"
            let list = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
            return list.split(separator: " ").compactMap { pid_t($0) }
        }
    }

    /// Guards whose command line contains a word, such as the run directory of one test. Guards whose parent
    /// has died are found, too.
    static func mentioning(_ word: String) -> [pid_t] {
        all().filter { process in
            let line = try? Data(contentsOf: URL(fileURLWithPath: "/proc/\(process)/cmdline"))
            return line.map { String(decoding: $0, as: UTF8.self).contains(word) } ?? false
        }
    }

    /// A line of proc_pid_status(5) without its title.
    static func status(_ process: pid_t, _ title: String) -> String? {
        guard let text = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8) else {
            return nil
        }
        let line = text.split(separator: "\n").first { $0.hasPrefix(title + ":") }
        return line.map { $0.dropFirst(title.count + 1).trimmingCharacters(in: .whitespaces) }
    }

    private static func all() -> [pid_t] {
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return entries.compactMap { pid_t($0) }.filter { status($0, "Name") == name }
    }
}

extension VirtualLink {
    /// Adds routes and addresses, as an administrator does, that are lost when the link is lowered.
    func makeThingsToLose() throws {
        try nearIP("address add 2001:db8:7::2/64 dev \(Self.near) nodad")
        try nearIP("route add 198.51.100.0/24 via \(Self.farAddress) dev \(Self.near) metric 7 table 100")
        try nearIP("-6 route add 2001:db8:8::/48 via fd00:77::1 dev \(Self.near)")
    }

    /// All routes and global addresses, one per line, in a fixed order, so that equal texts are equal
    /// states. Tentative addresses are left out.
    func state() throws -> String {
        let routes = try ["-4", "-6"].flatMap { family in
            try nearIP("\(family) route show table all dev \(Self.near)").split(separator: "\n")
        }
        let addresses = try nearIP("-oneline address show dev \(Self.near) scope global").split(
            separator: "\n")
        return (routes + addresses).map(String.init).filter { !$0.contains("tentative") }.sorted()
            .joined(separator: "\n")
    }

    /// The files in the run directory but for locks and the control socket: records of bounces, and holds.
    var records: [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: runDirectory.path)) ?? []
        return names.filter { !$0.hasSuffix(".lock") && $0 != "control" }.sorted()
    }

    /// Waits until the link is as it was, and no guard and no record is left.
    func awaitRestored(_ before: String, _ program: Child, within limit: Duration = .seconds(30)) throws {
        try eventually("the guard has put all back", within: limit, detail: "\(program.transcript)") {
            try state() == before && records.isEmpty
                && GuardProcesses.mentioning(runDirectory.path).isEmpty
        }
    }
}
