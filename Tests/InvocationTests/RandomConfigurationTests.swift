import Model
import Testing

@testable import Invocation

@Suite("Random configuration files")
struct RandomConfigurationTests {
    private static let path = "test.conf"
    private static let addresses = [MACAddress([2, 0, 0, 0, 0, 1])].compactMap(\.self)

    @Test("a hundred thousand random files are accepted or refused without a crash")
    func randomWalk() async throws {
        let seed: UInt64 = 20
        var random = SplitMix64(state: seed)
        let keys = OptionTable.rows.map { $0.name.rawValue }
        let values = [
            "3s", "1", "yes", "no", "auto", "none", "icmp", "tcp:a:1", "dns:a", "http:http://a/ status=200",
            "command:/x", "bounce", "/x", "1h", "90s",
        ]
        let heads = [
            "[default]", "[wlan0]", "[wl*]", "[mac=02:00:00:00:00:01]", "[", "[]", "[a]b", "[wl[0]]",
        ]
        let pieces = [
            "\n", "\r\n", " ; c", "#", "=", ":", ",", "\0", "\u{feff}", "\t", "é", "[", "]", "+", "\u{1}=",
        ]
        var taken = 0
        for round in 0..<100_000 {
            // Yield: tests that depend on time run at the same time.
            if round % 100 == 0 { await Task.yield() }
            var bytes: [UInt8] = []
            for _ in 0..<Int.random(in: 0...6, using: &random) {
                switch Int.random(in: 0..<8, using: &random) {
                case 0:
                    bytes += (0..<Int.random(in: 0...30, using: &random)).map { _ in
                        UInt8.random(in: 0...255, using: &random)
                    }
                case 1: bytes += Array(random.pick(pieces).utf8)
                case 2 where round % 50 == 0:
                    bytes += Array(repeating: .random(in: 0...255, using: &random), count: 400)
                case 2, 3, 4: bytes += Array("\n\(random.pick(heads))\n".utf8)
                default: bytes += Array("\n\(random.pick(keys)) = \(random.pick(values))\n".utf8)
                }
            }
            do {
                let file = try ConfigurationFile.parse(
                    String(decoding: bytes, as: UTF8.self), path: Self.path)
                _ = file.layers(for: "wlan0", addresses: Self.addresses)
                taken += 1
            } catch {
                let lines = bytes.count { $0 == UInt8(ascii: "\n") } + 1
                try #require((1...lines).contains(error.line), "seed \(seed), round \(round): \(error)")
                try #require(!error.description.contains("\n"), "seed \(seed), round \(round)")
            }
        }
        #expect(taken > 10_000, "seed \(seed)")
    }
}
