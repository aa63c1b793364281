import Testing

/// Runs of the real program on a real 802.11 stack, recorded in the Wi-Fi lab, in `Tests/Traces/lab`: the
/// events are replayed, and the current core's decisions are compared.
/// `UPDATE_GOLDEN=1 contrib/test --only unit --filter Golden` writes the decisions anew.
@Suite("Golden traces of the Wi-Fi lab") struct GoldenLabTests {
    @Test(
        "a run of the lab is decided as recorded in its trace", arguments: try GoldenTrace.names(in: "lab")
    )
    func lab(_ name: String) throws {
        let stored = try GoldenTrace.stored("lab/\(name)")
        try GoldenTrace.compare(try GoldenTrace.replayed(stored), with: "lab/\(name)")
    }
}
