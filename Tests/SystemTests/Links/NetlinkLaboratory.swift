import Glibc
import Model
import TestSupport
import Testing

@testable import Netlink

/// Two network namespaces joined by a veth pair: `near` in one, `far` in the other. `remove()` removes them,
/// whatever happened in them.
@MainActor
final class NetlinkLaboratory {
    nonisolated static let isPossible = geteuid() == 0
    nonisolated static let requirement: Comment = "needs root, for network namespaces of its own"
    private static var count = 0

    let near: String
    let far: String

    init() throws {
        Self.count += 1
        near = "wtnl-\(getpid())-\(Self.count)-near"
        far = "wtnl-\(getpid())-\(Self.count)-far"
        do {
            try ip("netns add \(near)")
            try ip("netns add \(far)")
            try ip("-n \(near) link add near type veth peer name far netns \(far)")
            try ip("-n \(far) addr add 10.9.0.1/24 dev far")
            try ip("-n \(far) link set far up")
        } catch {
            remove()
            throw error
        }
    }

    func remove() {
        for name in [near, far] { _ = try? ip("netns del \(name)") }
    }

    /// Raises the near end, which then has a carrier, and gives it an address.
    func raiseNear() throws {
        try nearIP("link set near up")
        try nearIP("addr add 10.9.0.2/24 dev near")
    }

    /// ip(8) with these arguments; throws if it fails.
    func ip(_ words: String) throws {
        let status = Self.run(["ip"] + words.split(separator: " ").map(String.init))
        guard status == 0 else { throw Unsuccessful(command: "ip " + words, status: status) }
    }

    /// ip(8) with these arguments in the near namespace.
    func nearIP(_ words: String) throws { try ip("-n \(near) \(words)") }

    /// Runs `body` with this thread in the near namespace. Sockets that it opens stay there, whichever thread
    /// uses them later. When this function returns, the thread is back in its own namespace.
    func inside<Value>(_ body: () throws -> Value) throws -> Value {
        let home = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC)
        let there = open("/run/netns/\(near)", O_RDONLY | O_CLOEXEC)
        defer { _ = [home, there].map(close) }
        try #require(home >= 0 && there >= 0)
        let setns = try Self.function("setns", as: (@convention(c) (Int32, Int32) -> Int32).self)
        try #require(setns(there, 0) == 0)
        defer { precondition(setns(home, 0) == 0, "cannot go back to the own network namespace") }
        return try body()
    }

    /// Runs `body` on this thread without CAP_NET_ADMIN (capset(2)), which is restored afterwards.
    static func withoutNetworkAdministration<Value>(_ body: () throws -> Value) throws -> Value {
        typealias Call = @convention(c) (UnsafeMutablePointer<UInt32>, UnsafeMutablePointer<UInt32>) -> Int32
        let (capget, capset) = try (function("capget", as: Call.self), function("capset", as: Call.self))
        let capNetAdmin: UInt32 = 12
        var header: [UInt32] = [0x2008_0522, 0]  // _LINUX_CAPABILITY_VERSION_3, this thread
        var sets = [UInt32](repeating: 0, count: 6)  // effective, permitted, inheritable; twice
        try #require(capget(&header, &sets) == 0)
        var fewer = sets
        fewer[0] &= ~(1 << capNetAdmin)
        try #require(capset(&header, &fewer) == 0)
        defer { precondition(capset(&header, &sets) == 0, "cannot take CAP_NET_ADMIN back") }
        return try body()
    }

    /// A function of the C library that Swift's module does not export.
    private static func function<Function>(_ name: String, as type: Function.Type) throws -> Function {
        unsafeBitCast(try #require(dlsym(dlopen(nil, RTLD_NOW), name)), to: type)
    }

    private static func run(_ words: [String]) -> Int32 {
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var process: pid_t = 0
        guard posix_spawnp(&process, words[0], nil, nil, &arguments, environ) == 0 else { return -1 }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        return status
    }

    struct Unsuccessful: Error {
        var command: String
        var status: Int32
    }
}

/// Receives what a monitor reports, and waits for expected notifications.
@MainActor
final class NetlinkListener {
    private(set) var heard: [NetlinkMonitor.Notification] = []
    var monitor: NetlinkMonitor?
    /// Called after each notification.
    var handler: (@MainActor () -> Void)?

    init(_ topics: NetlinkMonitor.Topics, receiveBuffer: Int32 = 1 << 20) throws {
        monitor = try NetlinkMonitor(topics, receiveBuffer: receiveBuffer) { [weak self] notification in
            self?.heard.append(notification)
            self?.handler?()
        }
    }

    /// Waits for a notification, including one that was received already.
    /// - Returns: false if it did not come within 30 seconds.
    func hears(_ wanted: (NetlinkMonitor.Notification) -> Bool) async -> Bool {
        await eventually(within: .seconds(30)) { heard.contains(where: wanted) }
    }

    /// Whether the monitor reports within the time limit that the neighbour has this state.
    func hears(
        _ neighbour: IPAddress, _ state: Neighbour.State, on index: InterfaceIndex
    ) async -> Bool {
        await hears {
            if case .neighbourChanged(index, neighbour, let entry) = $0 {
                entry.state == state
            } else {
                false
            }
        }
    }
}

/// The value or the failure with which a command completes.
@MainActor
func answer<Value: Sendable>(
    _ ask: @MainActor (@escaping NetlinkCommands.Completion<Value>) -> Void
) async throws -> Value {
    try await outcome(of: ask).get()
}
