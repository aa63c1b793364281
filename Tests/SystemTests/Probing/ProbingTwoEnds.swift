import CLinux
import Foundation
import Glibc
import Synchronization
import Testing

/// Two network namespaces of this test alone, joined by a veth pair: `near0` (10.9.0.1, fd00:9::1) here,
/// `far0` (10.9.0.2, fd00:9::2) there. They are removed with the object.
final class TwoEnds: Sendable {
    static let isPossible = geteuid() == 0 && access("/sbin/ip", X_OK) == 0
    static let reason: Comment = "network namespaces need root and iproute2"

    let near: String
    let far: String

    /// CLONE_NEWNET.
    private static let network: Int32 = 0x4000_0000
    private static let counter = Atomic<Int>(0)

    init() throws {
        let number = Self.counter.wrappingAdd(1, ordering: .relaxed).newValue
        near = "probing-\(getpid())-\(number)-near"
        far = "probing-\(getpid())-\(number)-far"
        do {
            try Self.shell(
                """
                ip netns add \(near) && ip netns add \(far)
                for end in \(near) \(far); do
                    ip netns exec $end sh -c 'for i in all default; do
                        echo 0 > /proc/sys/net/ipv6/conf/$i/accept_dad; done'
                    ip -n $end link set lo up
                done
                ip -n \(near) link add near0 type veth peer name far0 netns \(far)
                ip -n \(near) address add 10.9.0.1/24 dev near0
                ip -n \(near) address add fd00:9::1/64 dev near0 nodad
                ip -n \(far) address add 10.9.0.2/24 dev far0
                ip -n \(far) address add fd00:9::2/64 dev far0 nodad
                ip -n \(near) link set near0 up
                ip -n \(far) link set far0 up
                for try in $(seq 1000); do
                    case "$(ip -n \(near) -br link show near0) $(ip -n \(far) -br link show far0)" in
                        *UP*UP*UP*UP*)
                            # The kernel adds the link-local addresses a little later.
                            [ -z "$(ip -n \(near) -6 -o address show dev near0 scope link)" ] ||
                                [ -z "$(ip -n \(far) -6 -o address show dev far0 scope link)" ] || exit 0 ;;
                    esac
                    sleep 0.01
                done
                echo "the veth pair did not come up"; exit 1
                """)
        } catch {
            remove()
            throw error
        }
    }

    deinit { remove() }

    private func remove() {
        for name in [near, far] where access("/run/netns/" + name, F_OK) == 0 {
            _ = try? Self.shell("ip netns delete \(name)")
        }
    }

    struct ShellFailure: Error, CustomStringConvertible {
        var description: String
    }

    @discardableResult
    static func shell(_ script: String) throws -> String {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-ec", script]
        process.environment = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin"]
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw ShellFailure(description: script + "\n" + text) }
        return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    func index(of interface: String) throws -> Int32 {
        Int32(try Self.shell("ip netns exec \(near) cat /sys/class/net/\(interface)/ifindex"))!
    }

    /// Runs synchronous code with this thread in a namespace. The sockets that the code opens belong to that
    /// namespace.
    func inside<Result>(_ namespace: String, _ body: () throws -> Result) throws -> Result {
        let home = open("/proc/thread-self/ns/net", O_RDONLY | O_CLOEXEC)
        let there = open("/run/netns/" + namespace, O_RDONLY | O_CLOEXEC)
        defer {
            close(home)
            close(there)
        }
        guard home != -1, there != -1, setns(there, Self.network) == 0 else {
            throw ShellFailure(description: "cannot enter \(namespace): \(String(cString: strerror(errno)))")
        }
        defer { if setns(home, Self.network) != 0 { fatalError("cannot come back from \(namespace)") } }
        return try body()
    }
}
