import Foundation
import Glibc
import Testing

/// Rare cases: a lock that another program has taken, a service that hangs, a full trace, too few
/// descriptors.
extension ExampleMessagesTests {
    /// Locks and directories in which a command cannot work, and a full disk.
    func locks() throws -> [String] {
        let near = VirtualLink.near
        let full = ["sh", "-c", "exec \"$@\" >/dev/full", "sh"]
        try link.makeRunDirectory()
        // flock(1) takes the lock, and unlike wifi-toggler does not write its name into the file.
        let holder = try Child([
            "flock", "--no-fork", "\(link.runDirectory.path)/\(near).lock", "sleep", "60",
        ])
        try eventually("it has the lock") { try link.isLocked(near) }
        var lines = try example("run", "--check", prefix: full) + example("toggle", "--wait 0 \(near)")
        holder.send(SIGTERM)
        _ = try holder.outcome()
        try FileManager.default.removeItem(at: link.runDirectory)
        let user = try ServiceUser(link)
        chmod(link.runDirectory.path, 0o500)
        lines += try example("toggle", "--probe none \(near)", prefix: user.asRoot)
        let script = "mount -t tmpfs none /dev && install -m 0 /etc/hostname /dev/rfkill && exec \"$@\""
        chmod(link.runDirectory.path, 0o755)
        let service = try link.start(
            "run", prefix: ["unshare", "--mount", "sh", "-c", script, "sh"] + user.asService)
        return try lines + printed(["run", near], service.outcome())
    }

    /// A trace with one event, one that is almost full, and one that is full.
    func traces() throws -> [String] {
        let near = VirtualLink.near
        let trace = link.directory.path + "/trace"
        _ = try example("reconnect", "--probe none --record \(trace) \(near)")
        let recorded = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n")
        let events = recorded.indices.filter { recorded[$0].contains("\"event\":") }
        try write(recorded[..<events[1]].joined(separator: "\n") + "\n", to: trace)
        var lines = try example("replay", trace)
        for rest in [1000, 10] {
            try write(recorded[0] + "\n", to: trace)
            // The file is sparse between its title and its last line feed, and so takes no space on the disk.
            let file = try FileHandle(forWritingTo: URL(fileURLWithPath: trace))
            try file.seek(toOffset: UInt64((64 << 20) - rest - 1))
            try file.write(contentsOf: Data([0x0a]))
            try file.close()
            lines += try example("reconnect", "--probe none --record \(trace) \(near)")
        }
        return lines
    }

    /// A service that has stopped accepting connections.
    func hungService() throws -> [String] {
        try link.makeRunDirectory()
        let script = """
            import socket, sys, time
            server = socket.socket(socket.AF_UNIX)
            server.bind(sys.argv[1])
            server.listen(0)
            client = socket.socket(socket.AF_UNIX)
            client.connect(sys.argv[1])
            print("ready", flush=True)
            time.sleep(600)
            """
        let server = try Child(["python3", "-c", script, link.controlSocket])
        try eventually("it listens", detail: server.transcript) { server.standardOutput.contains("ready") }
        return try example("status")
    }

    /// What the unit that resets devices runs, for an interface that is gone.
    func lostDevice() throws -> [String] {
        let options = """
            --method reset --delay 0 --settle 0 --probe none --config /dev/null --run-dir /run/wifi-toggler-reset \
            --state-dir /run/wifi-toggler-reset gone0
            """
        // The machine's own /run is not touched.
        let script = """
            mount -t tmpfs none /run && mkdir /run/wifi-toggler /run/wifi-toggler-reset
            record=/run/wifi-toggler/gone0.intent
            printf '%s\n' 'wifi-toggler-intent 1' "boot $(cat /proc/sys/kernel/random/boot_id)" \
                "namespace $(stat --dereference --format=%d:%i /proc/self/ns/net)" 'interface 7 - gone0' \
                'down 0' 'settle 0' 'restore no' 'reset-unit pci ahci-of-nobody 0000:03:00.0' end >$record
            [ "$0" != link ] || ln --symbolic --force /etc/hostname $record
            [ "$0" != none ] || rm $record
            exec "$@"
            """
        return try ["none", "link", "record"].flatMap {
            try example("toggle", options, prefix: ["unshare", "--mount", "sh", "-c", script, $0])
        }
    }

    /// Programs that have too few descriptors.
    func fewDescriptors() throws -> [String] {
        let near = VirtualLink.near
        var lines = try limited("probe", near, until: "could not open a socket to the kernel")
        lines += try limited("probe", near, until: "could not subscribe to the events of the kernel")
        lines += try limited(
            "run", "--interval 1h \(near)", until: "could not set up the event loop")
        // After a few checks the service needs new descriptors only for netlink.
        let service = try link.start("run", ["--interval", "300ms", "--probe", "none", "--verbose"])
        try eventually("the clock has rung", detail: service.transcript) {
            service.standardError.count(of: "checking → waiting") > 2
        }
        try shell("prlimit --pid \(service.processIdentifier) --nofile=0:0")
        try ForeignSockets.leaveLinkGroup(of: service.processIdentifier)
        let outcome = try service.outcome()
        return lines + ["The log of a service that cannot listen any more:"]
            + log(service).filter { $0.contains("netlink") } + ["(exit status \(outcome.status))"]
    }

    /// Runs a command with ever more descriptors, until its output contains these words, and returns that
    /// output.
    private func limited(_ command: String, _ options: String, until words: String) throws -> [String] {
        for most in 4...24 {
            // The shell closes the descriptors that the program would inherit.
            let script = "for n in {3..99}; do eval \"exec $n>&-\"; done; ulimit -n \(most) && exec \"$@\""
            let lines = try example(command, options, prefix: ["bash", "-c", script, "bash"])
            if lines.contains(where: { $0.contains(words) }) { return lines }
        }
        Issue.record("no run says '\(words)'")
        return []
    }

    /// What systemd shows as the status of the service.
    func serviceManager() throws -> [String] {
        let manager = try NotificationSocket(in: link.directory)
        let environment = ["NOTIFY_SOCKET": manager.path]
        let idle = try link.startPlain("run", [], environment: environment)
        try manager.waitFor("STATUS=waiting")
        idle.send(SIGTERM)
        _ = try idle.outcome()
        let service = try link.start(
            "run", ["--interval", "300ms", "--probe", "none", "--dry-run"], environment: environment)
        try manager.waitFor("STATUS=\(VirtualLink.near): healthy")
        try link.farIP("link set \(VirtualLink.far) down")
        try manager.waitFor("STATUS=\(VirtualLink.near): sick")
        service.send(SIGTERM)
        _ = try service.outcome()
        return manager.assignments.filter { $0.hasPrefix("STATUS=") }.map { usual(String($0.dropFirst(7))) }
    }

    /// Probes to which a host does not answer, or sends an invalid answer.
    func strangeHosts() throws -> [String] {
        let (near, host) = (VirtualLink.near, VirtualLink.farAddress)
        // Each port answers in its own way, then closes the connection.
        let script = """
            import socket, struct, sys, threading
            def serve(port, answer, reset):
                server = socket.create_server((sys.argv[1], port))
                print("ready", flush=True)
                while True:
                    client = server.accept()[0]
                    client.recv(4096)
                    client.sendall(answer)
                    if reset:
                        client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    client.close()
            for port, answer, reset in [(81, b"", 0), (82, b"220 mail\\r\\n", 0), (83, b"HTTP/1.1 200", 1)]:
                threading.Thread(target=serve, args=(port, answer, reset)).start()
            """
        let server = try Child(
            ["ip", "netns", "exec", link.farNamespace, "python3", "-u", "-c", script, host])
        defer { server.send(SIGKILL) }
        try eventually("it serves", detail: server.transcript) {
            server.standardOutput.count(of: "ready") == 3
        }
        func probed(_ probe: String, timeout: String) throws -> [String] {
            try link.nearIP("neighbour flush dev \(near)")
            let lines = try example("probe", "--timeout \(timeout) --probe \(probe) \(near)")
            // Leave out the evidence that each probe on this link has.
            let kind = probe.prefix { $0 != ":" } + " "
            return lines.enumerated().filter { place, line in
                place < 2 || place == lines.count - 1 || line.drop { $0 == " " }.hasPrefix(kind)
            }.map(\.element)
        }
        var lines = try [81, 82, 83].flatMap { try probed("http:http://\(host):\($0)/", timeout: "5s") }
        lines += try probed("icmp:no.such.name", timeout: "1s")
        // The kernel gives up on a neighbour after three requests. It reports that over the loopback
        // interface.
        try link.nearIP("link set lo up")
        try shell(
            "ip netns exec \(link.nearNamespace) sysctl -q -w net.ipv4.neigh.\(near).retrans_time_ms=50")
        return try lines + probed("tcp:10.77.0.99:80", timeout: "6s")
    }
}
