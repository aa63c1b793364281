import Foundation
import Glibc
import Testing

/// A child process, in a process group of its own, whose output goes to files. The group is killed and the
/// child reaped at the latest when the object is released.
final class Child {
    struct SpawnFailure: Error {
        var command: [String]
        var code: Int32
    }

    let processIdentifier: pid_t
    private let directory: URL
    private var status: Int32?

    /// - Parameters:
    ///   - command: looked up on PATH (posix_spawnp(3)).
    ///   - environment: added to this process's own.
    init(_ command: [String], environment: [String: String] = [:]) throws {
        directory = FileManager.default.temporaryDirectory.appendingPathComponent(
            "wifi-toggler-child-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
        processIdentifier = try Self.spawn(command, environment, output: directory)
    }

    deinit {
        // This also kills what the child has started and left behind.
        kill(-processIdentifier, SIGKILL)
        if status == nil {
            var ignored: Int32 = 0
            waitpid(processIdentifier, &ignored, 0)
        }
        try? FileManager.default.removeItem(at: directory)
    }

    var standardOutput: String { text("output") }
    var standardError: String { text("error") }

    /// All output so far, to be shown when a check fails.
    var transcript: String { "-- standard output\n\(standardOutput)-- standard error\n\(standardError)--" }

    func send(_ signal: Int32) { kill(processIdentifier, signal) }

    /// Waits for the child's end, and throws `Overdue` if that takes longer than the limit.
    func outcome(within limit: Duration = .seconds(120)) throws -> RunOutcome {
        try eventually("process \(processIdentifier) has ended", within: limit, detail: transcript) {
            isOver
        }
        return RunOutcome(
            status: status ?? -1, standardOutput: standardOutput, standardError: standardError)
    }

    /// Whether the child has ended. If it has, it is reaped.
    var isOver: Bool {
        if status != nil { return true }
        var raw: Int32 = 0
        guard waitpid(processIdentifier, &raw, WNOHANG) == processIdentifier else { return false }
        // The macros of wait(2): the low seven bits are the signal, the next byte the exit status.
        let signal = raw & 0x7f
        status = signal == 0 ? (raw >> 8) & 0xff : 128 + signal
        return true
    }

    /// The memory in RAM (VmRSS in proc(5)), in KiB.
    var residentKilobytes: Int {
        get throws {
            let text = try String(contentsOfFile: "/proc/\(processIdentifier)/status", encoding: .utf8)
            let line = text.split(separator: "\n").first { $0.hasPrefix("VmRSS:") } ?? ""
            return line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        }
    }

    private func text(_ name: String) -> String {
        let data = try? Data(contentsOf: directory.appendingPathComponent(name))
        return String(decoding: data ?? Data(), as: UTF8.self)
    }

    private static func spawn(
        _ command: [String], _ environment: [String: String], output directory: URL
    ) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        let files = [(STDOUT_FILENO, "output"), (STDERR_FILENO, "error")]
        for (descriptor, name) in files {
            let path = directory.appendingPathComponent(name).path
            posix_spawn_file_actions_addopen(
                &actions, descriptor, path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        defaultSignals(&attributes)
        posix_spawnattr_setpgroup(&attributes, 0)
        let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP
        posix_spawnattr_setflags(&attributes, Int16(flags))

        let merged = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        var arguments = command.map { strdup($0) } + [nil]
        var variables = merged.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in arguments + variables { free(text) } }
        var child: pid_t = 0
        let code = posix_spawnp(&child, command[0], &actions, &attributes, &arguments, &variables)
        guard code == 0 else { throw SpawnFailure(command: command, code: code) }
        return child
    }

    /// Creates an executable that does nothing for ever if its arguments are `-f /dev/null`. Another process
    /// writes it: otherwise a child that is being started meanwhile could inherit the open file, and the file
    /// could not be executed (ETXTBSY).
    static func placeIdler(at path: String) throws {
        let copying = try Child(["cp", "/usr/bin/tail", path]).outcome()
        #expect(copying.status == 0, "\(copying)")
    }

    /// Resets the child's signals: the caller of the tests may ignore or block some, which the child must not
    /// inherit.
    private static func defaultSignals(_ attributes: inout posix_spawnattr_t) {
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        var all = sigset_t()
        sigfillset(&all)
        posix_spawnattr_setsigdefault(&attributes, &all)
    }
}
