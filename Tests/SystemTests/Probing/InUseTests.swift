import Foundation
import Glibc
import Testing

@Suite("A link with a login over it", .needsRoot)
struct InUseTests {
    /// The program that records logins.
    enum LoginRecorder: CaseIterable { case utmp, logind }

    private static let addresses = [
        (near: VirtualLink.nearAddress, far: VirtualLink.farAddress), (near: "fd00:77::2", far: "fd00:77::1"),
    ]
    private static let quick = ReconnectTests.quick + ["--json", "--fall", "1"]

    private func sickLink() throws -> VirtualLink {
        let link = try VirtualLink()
        try link.keepDefaultRoute()
        try link.cureFarEndByBounce()
        return link
    }

    /// Runs the program with login records of the test: of a login from `peer`, or, if it is nil, of a local
    /// one.
    private func start(
        _ link: VirtualLink, _ command: String, _ options: [String], loginFrom peer: String?,
        _ recorder: LoginRecorder = .logind
    ) throws -> Child {
        let records = link.directory.appendingPathComponent("records-\(UUID().uuidString)")
        let sessions = records.appendingPathComponent("systemd/sessions")
        try FileManager.default.createDirectory(at: sessions, withIntermediateDirectories: true)
        switch recorder {
        case .logind:
            let text = peer.map { "UID=0\nREMOTE=1\nREMOTE_HOST=\($0)\nLEADER=1\n" } ?? "UID=0\nREMOTE=0\n"
            try Data(text.utf8).write(to: sessions.appendingPathComponent("7"))
        case .utmp:
            var record = utmp()
            record.ut_type = Int16(USER_PROCESS)
            if let peer { inet_pton(peer.contains(":") ? AF_INET6 : AF_INET, peer, &record.ut_addr_v6) }
            try withUnsafeBytes(of: record) { Data($0) }.write(to: records.appendingPathComponent("utmp"))
        }
        // ip netns exec gives each program mounts of its own.
        let script = "mount -t tmpfs none /run && cp -r \(records.path)/. /run && exec \"$@\""
        return try link.start(command, options, prefix: ["sh", "-c", script, "sh"])
    }

    @Test(
        "reconnect does not bounce and names the login's address, unless given --even-if-in-use",
        arguments: addresses,
        LoginRecorder.allCases)
    func held(address: (near: String, far: String), recorder: LoginRecorder) throws {
        let link = try sickLink()
        let login = try LoginConnection(link.nearNamespace, at: address.near, from: link.farNamespace)
        try link.muteFarEnd()
        let trace = try LinkTrace(link)
        let held = try start(link, "reconnect", Self.quick, loginFrom: address.far, recorder).outcome()
        #expect(held.status == 1, "\(held)")
        #expect(held.objects.last?["action"] as? String == "held", "\(held)")
        let reason = held.objects.last?["reason"] as? String ?? ""
        #expect(reason.contains("a user is logged in over this link from \(address.far)"), "\(held)")
        #expect(reason.contains("--even-if-in-use"), "\(held)")
        #expect(try trace.isUntouched())
        let options = Self.quick + ["--even-if-in-use"]
        let bounced = try start(link, "reconnect", options, loginFrom: address.far, recorder).outcome()
        #expect(bounced.objects.last?["action"] as? String == "bounced", "\(bounced)")
        #expect(try trace.changes(atLeast: 2).map(\.isUp) == [false, true])
        withExtendedLifetime(login) {}
    }

    @Test("the plain timer waits until the login's connection ends")
    func run() throws {
        let link = try VirtualLink()
        var login: LoginConnection? = try LoginConnection(
            link.nearNamespace, at: VirtualLink.nearAddress, from: link.farNamespace)
        let trace = try LinkTrace(link)
        let options = ["--json", "--force", "--interval", "300ms", "--delay", "50ms", "--probe", "none"]
        let service = try start(link, "run", options, loginFrom: VirtualLink.farAddress)
        try eventually("it is held", detail: service.transcript) {
            service.standardOutput.split(separator: "\n").count { $0.contains("logged in over this link") }
                >= 3
        }
        #expect(try trace.isUntouched())
        withExtendedLifetime(login) {}
        login = nil
        try eventually("it bounces", detail: service.transcript) { try !trace.changes(atLeast: 1).isEmpty }
        service.send(SIGTERM)
        #expect(try service.outcome().status == 0)
    }

    @Test(
        "a login record alone, a connection alone, or a login over another link prevents no bounce"
    )
    func others() throws {
        for peer in [VirtualLink.farAddress, nil, "127.0.0.1"] {
            let link = try sickLink()
            try link.nearIP("link set lo up")
            var login: LoginConnection?
            switch peer {
            case "127.0.0.1":
                login = try LoginConnection(link.nearNamespace, at: "127.0.0.1", from: link.nearNamespace)
            case nil:
                login = try LoginConnection(
                    link.nearNamespace, at: VirtualLink.nearAddress, from: link.farNamespace)
            default: break
            }
            try link.muteFarEnd()
            let outcome = try start(link, "reconnect", Self.quick, loginFrom: peer).outcome()
            #expect(
                outcome.objects.last?["action"] as? String == "bounced", "\(peer ?? "nobody"): \(outcome)")
            withExtendedLifetime(login) {}
        }
    }

    @Test("a toggle bounces in spite of a login")
    func toggle() throws {
        let link = try VirtualLink()
        let login = try LoginConnection(
            link.nearNamespace, at: VirtualLink.nearAddress, from: link.farNamespace)
        let trace = try LinkTrace(link)
        let options = ["--delay", "0", "--probe", "none"]
        #expect(try start(link, "toggle", options, loginFrom: VirtualLink.farAddress).outcome().status == 0)
        #expect(try trace.changes(atLeast: 2).map(\.isUp) == [false, true])
        withExtendedLifetime(login) {}
    }
}
