import Foundation
import Glibc
import Testing

/// Messages of commands, of a service, and about files that are damaged or have the wrong owner or mode.
extension ExampleMessagesTests {
    /// Commands without a service.
    func commands() throws -> [String] {
        let near = VirtualLink.near
        let quick = "--timeout 1s"
        var lines = try example("history", near) + example("list")
        try link.nearIP("neighbour flush dev \(near)")
        lines += try example("probe", "\(quick) \(near)")
        try link.nearIP("neighbour flush dev \(near)")
        lines += try example("reconnect", "\(quick) \(near)")
        lines += try example("hold", "30m \(near)") + example("hold", "1h") + example("hold", "0 \(near)")
        lines += try example("hold", "0") + example("hold", "0")
        for place in [link.directory, link.configuration] { chmod(place.path, 0o755) }
        lines += try example("toggle", near, prefix: Self.nobody)
        try link.muteFarEnd()
        lines += try example("probe", "\(quick) \(near)")
        lines += try example("reconnect", "\(quick) --fall 1 --dry-run \(near)")
        lines += try example("reconnect", "\(quick) --fall 1 --delay 100ms --settle 5s \(near)")
        return lines
    }

    /// What the service logs from its start to its end, and what commands say meanwhile.
    func service() throws -> [String] {
        let near = VirtualLink.near
        let hooks = link.directory.path + "/hooks.d"
        // The hook fails at health events only: an earlier event could come before or after the first check's
        // result.
        try link.install("[ $WIFI_TOGGLER_EVENT != health ] || exit 7", at: "hooks.d/50-tell")
        let options = ["--interval", "1h", "--probe", "none", "--hooks-dir", hooks]
        let service = try link.start("run", options)
        try see("ended with status 7", from: service)
        var lines = try example("status", "wlan7")
        lines += try example("toggle", "--method bounce --wait 0 \(near)")
        lines += try example("status", near, prefix: Self.nobody)
        service.send(SIGUSR2)
        try see("next deadline", from: service)
        try link.configure("[default]\nquiet-hours = 00:00-24:00\ndry-run = yes\n")
        service.send(SIGHUP)
        try see("dry-run", from: service)
        try link.configure("[default]\nquiet-hours = 22:00-06:00\n")
        service.send(SIGHUP)
        try see("configuration read again", from: service)
        try link.configure("[default]\nwait = 3s\n")
        service.send(SIGHUP)
        try see("these keys take effect only when the service starts: wait", from: service)
        return try lines + log(ending: service)
    }

    /// Files and directories that are damaged, or have the wrong kind, owner or mode.
    func mishaps() throws -> [String] {
        let near = VirtualLink.near
        let file = link.directory.path + "/file"
        try write("no trace\n", to: file)
        var lines = try example("replay", file)
        lines += try example("toggle", "--probe none --run-dir \(file) \(near)")
        lines += try example("reconnect", "--timeout 1s --probe none --state-dir \(file) \(near)")
        try write("no record\n", to: "\(link.runDirectory.path)/\(near).intent")
        lines += try example("repair")
        let state = link.directory.appendingPathComponent("state")
        try HistoryFile.write(1, of: near, in: state)
        let history = state.appendingPathComponent(near + ".history")
        try (Data(contentsOf: history) + Data("no entry\n".utf8)).write(to: history)
        chmod(history.path, 0o600)
        lines += try example("history", near)
        chown(link.runDirectory.path, 65534, 65534)
        lines += try example("status") + example("hold", "1h")
        lines += try example("toggle", "--probe none --delay 100ms \(near)")
        return lines
    }

    /// How the program chooses interfaces, files and methods.
    func choices() throws -> [String] {
        try link.nearIP("link add near1 type veth peer name far1")
        var lines = try example("toggle", "wl*") + example("toggle", "near*") + example("hold", "1h wl*")
        lines += try example("toggle", "--dry-run --method bounce,reboot --probe none \(VirtualLink.near)")
        for place in ["/nonexistent", "/usr"] { lines += try example("probe", "--config \(place) near0") }
        for place in ["/nonexistent/trace", "/etc/hostname"] {
            lines += try example("reconnect", "--probe none --record \(place) near0")
        }
        return lines
    }

    /// The replay of a trace: as it was recorded, and without its last decision.
    func replays() throws -> [String] {
        let trace = link.directory.path + "/trace"
        var lines = try example("reconnect", "--probe none --record \(trace) \(VirtualLink.near)")
        lines += try example("replay", trace)
        let recorded = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n")
        try write(recorded.dropLast().joined(separator: "\n") + "\n", to: trace)
        return try lines + example("replay", trace)
    }

    /// Methods that cannot work on this link.
    func methods() throws -> [String] {
        let path = link.directory.path + "/method"
        chmod(link.directory.path, 0o755)
        func tried(_ method: String) throws -> [String] {
            try example(
                "toggle", "--probe none --delay 0 --settle 1s --method \(method) \(VirtualLink.near)")
        }
        let names = ["reassociate", "owner", "restart-owner", "rfkill", "rebind", "reset"]
        var lines = try names.flatMap(tried) + tried("hook:\(path)")
        try link.install("echo 'the modem is off'; exit 3", at: "method")
        lines += try tried("hook:\(path)")
        try link.install("kill -KILL $$", at: "method")
        lines += try tried("hook:\(path)")
        chmod(path, 0o777)
        lines += try tried("hook:\(path)")
        return lines
    }

    /// Probes that ask other hosts, and command probes.
    func probes() throws -> [String] {
        let near = VirtualLink.near
        let path = link.directory.path + "/check"
        chmod(link.directory.path, 0o755)
        func probed(_ probe: String) throws -> [String] {
            try link.nearIP("neighbour flush dev \(near)")
            return try example("probe", "--timeout 1s --probe \(probe) \(near)")
        }
        let host = VirtualLink.farAddress
        let server = try Child(
            ["ip", "netns", "exec", link.farNamespace, "python3", "-u", "-m", "http.server", "8080"]
                + ["--bind", host, "--directory", link.directory.path])
        try eventually("it serves", detail: server.transcript) { server.standardOutput.contains("Serving") }
        // The far end sends an ICMP message for a host beyond it.
        try shell("ip netns exec \(link.farNamespace) sysctl -q -w net.ipv4.ip_forward=1")
        try link.farIP("route add unreachable 203.0.113.0/24")
        var lines = try ["tcp:\(host):8080", "http:http://\(host):8080/"].flatMap(probed)
        lines += try ["tcp:\(host):80", "dns:example.net@\(host)", "http:http://\(host)/"].flatMap(probed)
        lines += try probed("tcp:203.0.113.1:80")
        for script in ["echo 'the tunnel is up'", "echo 'the tunnel is down'; exit 1", "exit 7"] {
            try link.install(script, at: "check")
            lines += try probed("command:\(path)")
        }
        chmod(path, 0o777)
        lines += try probed("command:\(path)")
        try link.nearIP("neighbour flush dev \(near)")
        lines += try example("probe", "--command-user nobody7 --probe command:/bin/true \(near)")
        try link.nearIP("neighbour replace \(host) lladdr 02:00:00:00:00:09 nud permanent dev \(near)")
        return try lines + example("probe", "--probe neighbour:\(host) \(near)")
    }

    /// What `history` finds in the state directory.
    func histories() throws -> [String] {
        let near = VirtualLink.near
        let state = link.directory.appendingPathComponent("state")
        try HistoryFile.write(1, of: near, in: state)
        try HistoryFile.appendStrange(of: near, in: state)
        var lines = try example("history", near) + example("history", "wlan7")
        lines += try example("history", "--html /nonexistent/page.html")
        for place in [link.directory, state] { chmod(place.path, 0o755) }
        lines += try example("history", prefix: Self.nobody)
        chown(state.path + "/\(near).history", 65534, 65534)
        return try lines + example("history")
    }
}
