import Foundation
import Glibc

/// Thousands of links that are not watched, in the near namespace; they are removed with it.
final class Crowd {
    /// The argument of `ip link delete group`.
    static let group = 42

    private let link: VirtualLink

    /// - Parameters:
    ///   - pairs: of virtual cables, so half of the number of links.
    ///   - prefix: of the names, with room for a number.
    init(in link: VirtualLink, pairs: Int, prefix: String = "crowd") throws {
        self.link = link
        let orders = (0..<pairs).map {
            "link add \(prefix)\($0) group \(Self.group) type veth peer name \(prefix)p\($0) group \(Self.group)"
        }
        try link.nearBatch(orders)
    }

    func remove() throws { _ = try beginRemoval().outcome() }

    /// All at once, while the kernel's lock for network configuration is taken once.
    func beginRemoval() throws -> Child {
        try Child(["ip", "-n", link.nearNamespace, "link", "delete", "group", "\(Self.group)"])
    }
}

extension VirtualLink {
    /// Commands for `ip`, one after the other, in one process.
    func nearBatch(_ orders: [String]) throws {
        let file = directory.appendingPathComponent("batch-\(UUID().uuidString)")
        try Data(orders.joined(separator: "\n").utf8).write(to: file)
        try nearIP("-batch \(file.path)")
    }

    func hardwareAddress() throws -> String {
        let words = try nearIP("-oneline link show dev \(Self.near)").split(separator: " ")
        return words.firstIndex(of: "link/ether").map { String(words[$0 + 1]) } ?? ""
    }

    /// Whether the lock with this name is taken.
    /// As the kernel lists it (/proc/locks, proc(5)): a test that tried to take the lock would have it for a moment, and
    /// the program could not.
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
