import Foundation
import Glibc

/// A root directory for tests. The test writes into it the files of /proc and of other programs that the code reads.
public final class MachineTree {
    /// Short: the path of a socket has 108 bytes at most.
    public let root = "/tmp/machine-\(UInt32.random(in: .min ... .max))"
    public static let namespace = "net:[4026531840]"

    /// Creates a tree in which the processes of other users are visible in /proc.
    public init() throws {
        try write("systemd\n", to: "proc/1/comm")
        try link(Self.namespace, from: "proc/self/ns/net")
    }

    deinit { try? FileManager.default.removeItem(atPath: root) }

    public func write(_ text: String, to path: String) throws {
        let file = "\(root)/\(path)"
        try makeDirectory(of: file)
        try Data(text.utf8).write(to: URL(filePath: file))
    }

    public func link(_ target: String, from path: String) throws {
        let file = "\(root)/\(path)"
        try makeDirectory(of: file)
        try FileManager.default.createSymbolicLink(atPath: file, withDestinationPath: target)
    }

    public func remove(_ path: String) throws {
        try FileManager.default.removeItem(atPath: "\(root)/\(path)")
    }

    /// Adds a process, as /proc shows it.
    public func process(
        _ number: Int32, _ name: String, executable: String? = nil, _ arguments: [String] = [],
        namespace: String = namespace
    ) throws {
        try write(name + "\n", to: "proc/\(number)/comm")
        try write(arguments.map { $0 + "\0" }.joined(), to: "proc/\(number)/cmdline")
        try link(executable ?? "/usr/sbin/\(name)", from: "proc/\(number)/exe")
        try link(namespace, from: "proc/\(number)/ns/net")
    }

    /// Binds a datagram socket to this path, as a program that accepts commands does.
    /// - Returns: the descriptor, which the caller closes.
    public func listen(at path: String) throws -> Int32 {
        let file = "\(root)/\(path)"
        try makeDirectory(of: file)
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        let address = withUnsafeBytes(of: sa_family_t(AF_UNIX)) { Array($0) } + Array(file.utf8) + [0]
        let result = address.withUnsafeBytes {
            bind(descriptor, $0.assumingMemoryBound(to: sockaddr.self).baseAddress!, socklen_t($0.count))
        }
        guard result == 0 else { throw CocoaError(.fileWriteUnknown) }
        return descriptor
    }

    private func makeDirectory(of file: String) throws {
        let directory = URL(filePath: file).deletingLastPathComponent().path
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    }
}
