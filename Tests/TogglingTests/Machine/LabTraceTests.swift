import Testing

/// `Tests/Traces/lab` has traces of the real program on a real 802.11 stack, recorded in the Wi-Fi lab. The
/// test replays their events, and compares the current core's decisions with the recorded ones.
/// `UPDATE_GOLDEN=1 contrib/test --only unit --filter Golden` writes the decisions anew.
@Suite("Golden traces of the Wi-Fi lab") struct GoldenLabTests {
    @Test(
        "the core decides a lab run as recorded in its trace", arguments: try GoldenTrace.names(in: "lab")
    )
    func lab(_ name: String) throws {
        let stored = try GoldenTrace.stored("lab/\(name)")
        try GoldenTrace.compare(try GoldenTrace.replayed(stored), with: "lab/\(name)")
    }
}
