import Testing

/// A gateway that answers nothing, with another host on the link.
@Suite("A link that still receives", .needsRoot)
struct AliveTests {
    private static let other = "10.77.0.7"
    private static let quick = ReconnectTests.quick + ["--json", "--fall", "1", "--settle", "500ms"]

    /// Opens a connection to another host on the link, then lets only the gateway disappear.
    private func connectAndMute(_ link: VirtualLink) throws -> LoginConnection {
        try link.farIP("address add \(Self.other)/32 dev \(VirtualLink.far)")
        try link.farIP("route add \(VirtualLink.nearAddress)/32 dev \(VirtualLink.far) src \(Self.other)")
        let connection = try LoginConnection(
            link.nearNamespace, at: VirtualLink.nearAddress, from: link.farNamespace)
        try link.farIP("address delete \(VirtualLink.farAddress)/24 dev \(VirtualLink.far)")
        try link.nearIP("neighbour flush dev \(VirtualLink.near)")
        return connection
    }

    @Test("reconnect does not bounce while a connection to another host is active, and bounces after that")
    func held() throws {
        let link = try VirtualLink()
        let connection = try connectAndMute(link)
        connection.keepTalking()
        let trace = try LinkTrace(link)
        let held = try link.run("reconnect", Self.quick)
        #expect(held.status == 1, "\(held)")
        #expect(held.objects.last?["action"] as? String == "held", "\(held)")
        let reason = held.objects.last?["reason"] as? String ?? ""
        #expect(
            reason.contains("the gateway \(VirtualLink.farAddress) does not answer; not bounced:"), "\(held)")
        #expect(reason.contains("the link still receives from \(Self.other) ("), "\(held)")
        let evidence = held.objects.last?["evidence"] as? [[String: Any]] ?? []
        #expect(evidence.contains { $0["probe"] as? String == "heard" && $0["result"] as? String == "ok" })
        #expect(try trace.isUntouched())
        try connection.stopTalking()
        let bounced = try link.run("reconnect", Self.quick)
        #expect(bounced.objects.last?["action"] as? String == "bounced", "\(bounced)")
        #expect(try trace.changes(atLeast: 2).map(\.isUp) == [false, true])
    }

    @Test("with --force a link that still receives is bounced")
    func forced() throws {
        let link = try VirtualLink()
        let connection = try connectAndMute(link)
        connection.keepTalking()
        let trace = try LinkTrace(link)
        let outcome = try link.run("reconnect", Self.quick + ["--force"])
        #expect(outcome.objects.last?["action"] as? String == "bounced", "\(outcome)")
        #expect(try trace.changes(atLeast: 2).map(\.isUp) == [false, true])
    }
}
