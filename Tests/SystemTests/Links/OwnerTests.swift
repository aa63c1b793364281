import Foundation
import Glibc
import Testing

/// The owner is a program with the owner's name that does nothing, and /run has the test's files.
@Suite("Owners of a link", .needsRoot)
struct OwnerTests {
    private let directory: URL
    init() throws {
        directory = FileManager.default.temporaryDirectory.appendingPathComponent(
            "owner-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: directory.appendingPathComponent("run"), withIntermediateDirectories: true)
    }

    private static let options = ["--any-interface", "--probe", "none", "--delay", "200ms", "--settle", "1s"]

    private func write(_ text: String, to path: String) throws {
        let file = directory.appendingPathComponent(path)
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    /// Starts the program with `run` of the test's directory mounted as /run.
    private func start(_ link: VirtualLink, _ command: String, _ options: [String]) throws -> Child {
        let script = "mount --bind \(directory.path)/run /run && exec \"$@\""
        return try link.start(command, options, prefix: ["sh", "-c", script, "sh"])
    }

    /// Starts an idle program named dhcpcd, and gives the link an address with a lifetime, as from a lease.
    private func addressOwner(of link: VirtualLink) throws -> Child {
        let file = directory.appendingPathComponent("dhcpcd").path
        try Child.placeIdler(at: file)
        let client = try Child(["ip", "netns", "exec", link.nearNamespace, file, "-f", "/dev/null"])
        let name = "/proc/\(client.processIdentifier)/comm"
        try eventually("the client is there", detail: client.transcript) {
            (try? String(contentsOfFile: name, encoding: .utf8)) == "dhcpcd\n"
        }
        try write("\(client.processIdentifier)\n", to: "run/dhcpcd/\(VirtualLink.near).pid")
        try link.nearIP(
            "address change \(VirtualLink.nearAddress)/24 dev \(VirtualLink.near) valid_lft 600 preferred_lft 600"
        )
        return client
    }

    @Test(
        "name servers that are missing after a bounce are reported, those that come back are not",
        arguments: [false, true])
    func nameServers(areBack: Bool) throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        let link = try VirtualLink()
        let addressOwner = try addressOwner(of: link)
        let place = "run/dhcpcd/hook-state/resolv.conf/\(VirtualLink.near).dhcp"
        try write("nameserver 192.0.2.53\n", to: place)
        let trace = try LinkTrace(link)
        let program = try start(link, "toggle", Self.options)
        _ = try trace.changes(atLeast: 1)
        try FileManager.default.removeItem(at: directory.appendingPathComponent(place))
        _ = try trace.changes(atLeast: 2)
        if areBack { try write("nameserver 192.0.2.54\n", to: place) }
        let outcome = try program.outcome()
        #expect(outcome.status == 0, "\(outcome)")
        let isSaid = outcome.standardError.contains("dhcpcd did not restore in time: its name servers")
        #expect(isSaid != areBack, "\(outcome)")
        withExtendedLifetime(addressOwner) {}
    }

    @Test("without an owner the method owner says so, and nothing is changed")
    func nobody() throws {
        defer { try? FileManager.default.removeItem(at: directory) }
        let link = try VirtualLink()
        let trace = try LinkTrace(link)
        let outcome = try start(link, "toggle", Self.options + ["--method", "owner"]).outcome()
        #expect(
            outcome.standardError.contains("no program manages it, so none can be asked to connect again"),
            "\(outcome)")
        #expect(outcome.status != 0, "\(outcome)")
        try trace.catchUp()
        #expect(try trace.isUntouched())
    }
}
