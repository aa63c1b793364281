import Foundation
import Glibc
import Testing

@Suite("doctor, and messages about owners", .needsRoot)
struct DoctorTests {
    /// A directory that belongs to another user, so that doctor has a finding on any machine.
    private func strangersDirectory() throws -> String {
        let path = FileManager.default.temporaryDirectory.path + "/doctor-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        try FileManager.default.setAttributes(
            [.ownerAccountID: 65_534, .posixPermissions: 0o777], ofItemAtPath: path)
        return path
    }

    @Test("a finding has a reason, a remedy and all JSON keys, the status is 1, and nothing is changed")
    func found() throws {
        let link = try VirtualLink()
        let trace = try LinkTrace(link)
        let state = try strangersDirectory()
        defer { try? FileManager.default.removeItem(atPath: state) }
        let outcome = try link.run("doctor", ["--json", "--state-dir", state])
        let objects = outcome.objects
        for object in objects {
            #expect(
                Set(object.keys) == ["severity", "interface", "finding", "reason", "remedy", "reference"],
                "\(outcome)")
        }
        let finding = objects.first { $0["finding"] as? String == "directory" }
        #expect(finding?["severity"] as? String == "warning", "\(outcome)")
        #expect(outcome.status == 1, "\(outcome)")
        let text = try link.run("doctor", ["--state-dir", state])
        #expect(
            text.standardOutput.contains("warning: locks or learned data cannot be written: \(state)"),
            "\(text)")
        let remedy = "    remedy: let the service's user (root if there is no service) own the directory"
        #expect(text.standardOutput.contains(remedy), "\(text)")
        #expect(try trace.isUntouched())
    }

    @Test(
        "a foreign address is a finding only if it precedes the address of the gateway's network",
        arguments: [false, true])
    func foreignSource(isBefore: Bool) throws {
        let link = try VirtualLink()
        let (near, own) = (VirtualLink.near, "\(VirtualLink.nearAddress)/24")
        try link.nearIP("-4 address flush dev \(near)")
        for address in isBefore ? ["10.99.9.9/32", own] : [own, "10.99.9.9/32"] {
            try link.nearIP("address add \(address) dev \(near) noprefixroute")
        }
        // iwd makes the default route in this way, without a source address.
        try link.nearIP("route add 10.77.0.0/24 dev \(near)")
        try link.nearIP("route add default via \(VirtualLink.farAddress) dev \(near)")
        let outcome = try link.run("doctor", ["--any-interface"])
        let words =
            "\(near): packets to the gateway \(VirtualLink.farAddress) have the source address 10.99.9.9, which is"
            + " outside of the gateway's network: the kernel uses the interface's first address, and"
            + " \(VirtualLink.nearAddress) comes later\n"
            + "    remedy: run 'sudo ip address delete 10.99.9.9/32 dev \(near)', then add this address"
            + " again: it is then the interface's last one\n    see: TROUBLESHOOTING.md, Packets take another way\n"
        #expect(outcome.standardOutput.contains(words) == isBefore, "\(outcome)")
        #expect(outcome.standardOutput.contains("source address") == isBefore, "\(outcome)")
    }

    @Test("a system account's program with the service's name is not taken for the service")
    func impostor() throws {
        let link = try VirtualLink()
        try link.configure("[default]\nannounce = yes\n")
        let diagnosis = { try link.run("doctor", ["--json"]).standardOutput }
        let impostors = link.directory.path + "/impostor"
        mkdir(impostors, 0o755)
        chmod(link.directory.path, 0o755)
        try Child.placeIdler(at: "\(impostors)/wifi-toggler")
        // It has no capability, so it could not announce IPv6 addresses.
        let impostor = try Child([
            "ip", "netns", "exec", link.nearNamespace, "setpriv", "--reuid=500", "--regid=500",
            "--clear-groups", "\(impostors)/wifi-toggler", "run", "-f", "/dev/null",
        ])
        try eventually("it has its name", detail: impostor.transcript) {
            try String(contentsOfFile: "/proc/\(impostor.processIdentifier)/comm", encoding: .utf8)
                == "wifi-toggler\n"
        }
        #expect(try !diagnosis().contains(#""finding":"announce""#), "there is no service")
        // Nor is a program of the service's own user taken for it: a hook of the service can start one.
        let user = try ServiceUser(link)
        let hooks = try Child(
            ["ip", "netns", "exec", link.nearNamespace] + user.asServiceWithRawSockets
                + ["\(impostors)/wifi-toggler", "run", "-f", "/dev/null"])
        let service = try link.start("run", [], prefix: user.asService)
        try eventually("it watches", detail: service.transcript) { service.transcript.contains("starting") }
        #expect(hooks.processIdentifier < service.processIdentifier && !hooks.isOver)
        let found = try link.start("doctor", ["--json"], prefix: user.asRoot).outcome().standardOutput
        #expect(found.contains(#""finding":"announce""#), "the service cannot announce: \(found)")
        service.send(SIGTERM)
        _ = try service.outcome()
    }

    @Test(
        "a toggle warns if the owner needs longer than the settle time, and not without an owner"
    )
    func owner() throws {
        let link = try VirtualLink()
        let options = ["--any-interface", "--probe", "none", "--delay", "0", "--settle", "1s"]
        let words = "with dhclient a link needs up to 2.1s to come back after a bounce"
        let alone = try link.run("toggle", options)
        #expect(!alone.standardError.contains("to come back after a bounce"), "\(alone)")
        let directory = FileManager.default.temporaryDirectory.path + "/owner-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        // A process that the program takes for dhclient, by its name, account and namespace.
        try Child.placeIdler(at: "\(directory)/dhclient")
        let client = try Child([
            "ip", "netns", "exec", link.nearNamespace, "\(directory)/dhclient", "-f", "/dev/null",
            VirtualLink.near,
        ])
        let name = "/proc/\(client.processIdentifier)/comm"
        try eventually("the client is there", detail: client.transcript) {
            (try? String(contentsOfFile: name, encoding: .utf8)) == "dhclient\n"
        }
        let beside = try link.run("toggle", options)
        #expect(beside.standardError.contains("\(VirtualLink.near): \(words)"), "\(beside)")
        let quiet = try link.run("toggle", options + ["--quiet"])
        #expect(!quiet.standardError.contains(words), "\(quiet)")
    }
}
