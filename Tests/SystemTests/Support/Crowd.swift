import Foundation
import Glibc

/// Many links in the near namespace that the program does not watch. They are removed with the namespace.
final class Crowd {
    /// The argument of `ip link delete group`.
    static let group = 42

    private let link: VirtualLink

    /// - Parameters:
    ///   - pairs: how many virtual cables are made, with two links each.
    ///   - prefix: the beginning of each link's name, before a number.
    init(in link: VirtualLink, pairs: Int, prefix: String = "crowd") throws {
        self.link = link
        let orders = (0..<pairs).map {
            "link add \(prefix)\($0) group \(Self.group) type veth peer name \(prefix)p\($0) group \(Self.group)"
        }
        try link.nearBatch(orders)
    }

    func remove() throws { _ = try beginRemoval().outcome() }

    /// Begins to remove all links in one request, for which the kernel takes its lock for network
    /// configuration once.
    func beginRemoval() throws -> Child {
        try Child(["ip", "-n", link.nearNamespace, "link", "delete", "group", "\(Self.group)"])
    }
}

extension VirtualLink {
    /// Runs commands of `ip` one after the other, in one process.
    func nearBatch(_ orders: [String]) throws {
        let file = directory.appendingPathComponent("batch-\(UUID().uuidString)")
        try Data(orders.joined(separator: "\n").utf8).write(to: file)
        try nearIP("-batch \(file.path)")
    }

    func hardwareAddress() throws -> String {
        let words = try nearIP("-oneline link show dev \(Self.near)").split(separator: " ")
        return words.firstIndex(of: "link/ether").map { String(words[$0 + 1]) } ?? ""
    }

    /// Whether the lock with this name is taken. Reads the kernel's list (/proc/locks, proc(5)): a test that
    /// tried to take the lock could have it for a moment, and keep the program from taking it.
    func isLocked(_ name: String) throws -> Bool {
        var file = stat()
        guard stat(runDirectory.appendingPathComponent("\(name).lock").path, &file) == 0 else { return false }
        // makedev(3).
        let (major, minor) = (file.st_dev >> 8 & 0xfff, file.st_dev & 0xff | file.st_dev >> 12 & 0xffff_ff00)
        let device = [major, minor].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
        let place = " \(device[0]):\(device[1]):\(file.st_ino) "
        return try String(contentsOfFile: "/proc/locks", encoding: .utf8).split(separator: "\n")
            .contains { $0.contains(" FLOCK ") && $0.contains(place) && !$0.contains("->") }
    }

    func isUp(_ name: String) throws -> Bool {
        let text = try nearIP("-oneline link show dev \(name)")
        return LinkTrace.flags(in: text[...])?.contains("UP") ?? false
    }
}

extension String {
    func count(of words: String) -> Int { components(separatedBy: words).count - 1 }
}
