import Foundation
import Glibc
import Platform
import Testing

/// Messages of commands and services about the control socket, and of services that lack something.
extension ExampleMessagesTests {
    /// Commands whose peer on the control socket is not a service, or ends before the command.
    func peers() throws -> [String] {
        let near = VirtualLink.near
        try link.makeRunDirectory()
        try write("", to: link.controlSocket)
        var lines = try example("status")
        let other = link.directory.path + "/link"
        try FileManager.default.createSymbolicLink(atPath: other, withDestinationPath: link.runDirectory.path)
        lines += try example("status", "--run-dir \(other)")
        for answer in ["", "nonsense", #"{"error":"org.varlink.service.MethodNotFound"}"#] {
            let server = try link.answerOnce(answer)
            lines += try example("status")
            withExtendedLifetime(server) {}
        }
        try FileManager.default.removeItem(atPath: link.controlSocket)
        let service = try link.start("run", ["--interval", "1h", "--probe", "none"])
        try see("next check", from: service)
        // The first toggle is told to end; during the second one the service is killed.
        let words = ["toggle", "--delay", "3s", near]
        for isTold in [true, false] {
            let command = try link.start("toggle", ["--delay", "3s"])
            try see("link down", from: command)
            isTold ? command.send(SIGTERM) : service.send(SIGKILL)
            lines += printed(words, try command.outcome())
            try eventually("the link is raised", detail: service.transcript) { try link.isUp }
            if isTold { try see("back", from: service) }
        }
        // The guard writes to the service's standard error, too.
        try eventually("the guard has put all back", detail: service.transcript) {
            service.standardError.count(of: "restored: default") == 2
        }
        return lines + ["The log of the service:"] + log(service)
    }

    /// Services whose control socket is in use, cannot be made, or cannot be given to the group.
    func servers() throws -> [String] {
        let options = ["--interval", "1h", "--probe", "none"]
        try link.nearIP("link add near1 type veth peer name far1")
        let first = try link.start("run", options)
        try see("next check", from: first)
        let second = try link.start("run", options, interface: "near1")
        try see("next check", from: second)
        var lines = try log(ending: second, of: "a second service")
        try see("next check", from: first)
        try shell("prlimit --pid \(first.processIdentifier) --nofile=3:")
        let soon = BootClock.now() + 60_000_000_000
        let clients = try (0..<3).map { _ in
            try BlockingStream.connect(to: "control", in: link.runDirectory.path, before: soon)
        }
        try see("no file descriptor", from: first)
        try shell("prlimit --pid \(first.processIdentifier) --nofile=1024:")
        lines += try log(ending: first, of: "a service that ran out of descriptors")
        withExtendedLifetime(clients) {}
        let place = link.controlSocket + "/file"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        let third = try link.start("run", options)
        try see("next check", from: third)
        lines += try log(ending: third, of: "a service whose socket is a directory")
        for name in ["run", "state"] {
            try FileManager.default.removeItem(atPath: link.directory.path + "/" + name)
        }
        let user = try ServiceUser(link)
        let groups = link.directory.path + "/group"
        let others = try String(contentsOfFile: "/etc/group", encoding: .utf8)
        try write("wifi-toggler:x:4242:\n" + others, to: groups)
        let script = "mount --bind \(groups) /etc/group && exec \"$@\""
        let fourth = try link.start(
            "run", options, prefix: ["unshare", "--mount", "sh", "-c", script, "sh"] + user.asService)
        try see("next check", from: fourth)
        return try lines + log(ending: fourth, of: "a service whose user has another group")
    }

    /// A service for which no interface is named, and that finds none.
    func idleService() throws -> [String] {
        let service = try link.startPlain("run", [])
        try see("waiting for one to appear", from: service)
        service.send(SIGUSR2)
        try see("no interface to watch", from: service)
        let lines = try example("status") + example("status", VirtualLink.near)
        return try lines + log(ending: service)
    }

    /// A read-only state directory, and a missing directory for metrics.
    func directories() throws -> [String] {
        let state = link.directory.path + "/state"
        mkdir(state, 0o755)
        let disk = [
            "unshare", "--mount", "sh", "-c", "mount -t tmpfs -o ro none \(state); exec \"$@\"", "sh",
        ]
        let near = VirtualLink.near
        let lines = try example("toggle", "--probe none --delay 100ms \(near)", prefix: disk)
        let options = ["--interval", "1h", "--probe", "none", "--metrics", "/nonexistent/wifi.prom"]
        let service = try link.start("run", options, prefix: disk)
        for words in ["could not write the metrics", "\(near).history"] { try see(words, from: service) }
        return try lines + log(ending: service)
    }

    /// The method `reboot` is configured, and a record says that it has rebooted the machine. The service
    /// cannot reboot this machine: it is not root, and on the sick link it makes a dry run.
    func reboots() throws -> [String] {
        let user = try ServiceUser(link)
        let record = link.directory.path + "/state/reboots"
        let options = [
            "--interval", "1h", "--fall", "1", "--timeout", "1s", "--method", "bounce,reboot",
            "--probe", "neighbour:\(VirtualLink.farAddress)",
        ]
        let boot = "00000000-1111-4222-8333-444455556666"
        let cause = #"{"verdict":"sick","layer":"gateway","reason":"the gateway 10.77.0.1 does not answer"}"#
        let rebooted = """
            wifi-toggler reboots 1
            written \(boot) 5400
            ago 12
            last \(boot) \(VirtualLink.near) \(cause)

            """
        func log(_ text: String?, of what: String) throws -> [String] {
            unlink(record)
            if let text {
                try write(text, to: record)
                chown(record, ServiceUser.number, ServiceUser.number)
                chmod(record, 0o600)
            } else {
                symlink("elsewhere", record)
            }
            let service = try link.start("run", options, prefix: user.asService)
            for words in ["next check", "reboot"] { try see(words, from: service) }
            if text == rebooted { try see("helped", from: service) }
            return try self.log(ending: service, of: what)
        }
        let lines =
            try log("damaged\n", of: "a service with a damaged record")
            + log(nil, of: "a service whose record is a symbolic link")
            + log(rebooted, of: "a service after a reboot")
        // A dry run: the service changes nothing on the sick link.
        try link.configure("[\(VirtualLink.near)]\ndry-run = yes\n")
        try link.muteFarEnd()
        return try lines + log(rebooted, of: "a service after a reboot that was in vain")
    }
}
