import CLinux
import CNetlink
import Foundation
import Glibc

/// The netlink sockets of another process.
enum ForeignSockets {
    struct Failure: Error { var call: String, code: Int32 }

    /// One line of /proc/net/netlink.
    struct Row {
        /// NETLINK_ROUTE, NETLINK_GENERIC …
        var family: Int32
        var inode: Int
        /// Announcements that did not fit into its buffer.
        var drops: Int
    }

    /// Removes the process's rtnetlink sockets from the group that announces links, without its knowledge.
    static func leaveLinkGroup(of process: pid_t) throws {
        try reach(NETLINK_ROUTE, of: process) { descriptor in
            var group = Int32(RTNLGRP_LINK.rawValue)
            let size = socklen_t(MemoryLayout<Int32>.size)
            return setsockopt(descriptor, SOL_NETLINK, NETLINK_DROP_MEMBERSHIP, &group, size) == 0
        }
    }

    /// Connects the process's generic netlink sockets to a port that does not exist, so that sending fails
    /// (ECONNREFUSED). With port 0 they send to the kernel again.
    static func misdirectGeneric(of process: pid_t, port: UInt32 = .max) throws {
        try reach(NETLINK_GENERIC, of: process) { descriptor in
            var address = sockaddr_nl()
            address.nl_family = sa_family_t(AF_NETLINK)
            address.nl_pid = port
            return withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_nl>.size)) == 0
                }
            }
        }
    }

    /// Applies `body` to the process's sockets of a family, through duplicated descriptors. It must succeed
    /// for at least one of them.
    private static func reach(_ family: Int32, of process: pid_t, _ body: (Int32) -> Bool) throws {
        let handle = pidfd_open(process, 0)
        guard handle >= 0 else { throw Failure(call: "pidfd_open", code: errno) }
        defer { close(handle) }
        let inodes = Set(try rows(of: process).filter { $0.family == family }.map(\.inode))
        var count = 0
        for (number, inode) in try sockets(of: process) where inodes.contains(inode) {
            let descriptor = pidfd_getfd(handle, number, 0)
            guard descriptor >= 0 else { throw Failure(call: "pidfd_getfd", code: errno) }
            defer { close(descriptor) }
            if body(descriptor) { count += 1 }
        }
        guard count > 0 else { throw Failure(call: "none of its sockets would", code: 0) }
    }

    /// How many announcements the process's sockets have lost.
    static func drops(of process: pid_t) throws -> Int {
        let own = Set(try sockets(of: process).values)
        return try rows(of: process).filter { own.contains($0.inode) }.map(\.drops).reduce(0, +)
    }

    /// All netlink sockets of the process's network namespace.
    private static func rows(of process: pid_t) throws -> [Row] {
        try String(contentsOfFile: "/proc/\(process)/net/netlink", encoding: .utf8)
            .split(separator: "\n").dropFirst().compactMap { line in
                // sk Eth Pid Groups Rmem Wmem Dump Locks Drops Inode
                let fields = line.split(separator: " ")
                guard fields.count == 10, let family = Int32(fields[1]), let drops = Int(fields[8]),
                    let inode = Int(fields[9])
                else { return nil }
                return Row(family: family, inode: inode, drops: drops)
            }
    }

    /// The inode of each socket of the process, by its descriptor.
    private static func sockets(of process: pid_t) throws -> [Int32: Int] {
        let directory = "/proc/\(process)/fd"
        var sockets: [Int32: Int] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: directory) {
            guard let number = Int32(name),
                let target = try? FileManager.default.destinationOfSymbolicLink(
                    atPath: "\(directory)/\(name)"),
                target.hasPrefix("socket:["), let inode = Int(target.dropFirst(8).dropLast())
            else { continue }
            sockets[number] = inode
        }
        return sockets
    }
}
