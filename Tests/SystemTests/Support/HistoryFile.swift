import Foundation

/// Writes history files like those of a service before a reboot: outages, each ended by a bounce.
enum HistoryFile {
    /// 2026-01-01T00:00:00Z: the first outage begins then, and another one each minute.
    static let begin: Int64 = 1_767_225_600_000
    private static let minute: Int64 = 60_000

    /// Writes this many outages: the earlier half into the old file, the later half into the new one.
    static func write(_ count: Int, of interface: String, in state: URL) throws {
        try FileManager.default.createDirectory(
            at: state, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let lines = (0..<Int64(count)).map { outage(of: interface, at: $0 * minute) }
        let half = lines.count / 2
        for (name, lines) in [(".history.old", lines[..<half]), (".history", lines[half...])] {
            let file = state.appendingPathComponent(interface + name)
            try Data(lines.joined()).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        }
    }

    /// Appends a line that only another version understands.
    static func appendStrange(of interface: String, in state: URL) throws {
        let file = try FileHandle(forWritingTo: state.appendingPathComponent(interface + ".history"))
        try file.seekToEnd()
        try file.write(contentsOf: Data(line("praised", "healthy", interface, at: 0, #""for":"all""#)))
        try file.close()
    }

    /// The two lines of an outage, with texts of realistic length.
    private static func outage(of interface: String, at milliseconds: Int64) -> [UInt8] {
        let found = """
            {"verdict":"sick","layer":"gateway","reason":"the gateway 192.0.2.1 does not answer","evidence":[\
            {"probe":"operational","result":"ok","rtt_ms":null,"detail":"UP, with carrier"},\
            {"probe":"neighbour:192.0.2.1","result":"failed","rtt_ms":null,"detail":"no answer in 2s"}]}
            """
        let outcome = #"{"verdict":"healthy","reason":"neighbour:192.0.2.1 has answered"}"#
        let route = #"["default via 192.0.2.1 dev \#(interface)"]"#
        return line(
            "changed", "sick", interface, at: milliseconds + 9000,
            #""since_ms":\#(milliseconds),"found":\#(found)"#)
            + line(
                "acted", "healthy", interface, at: milliseconds + 15_250,
                #""cause":\#(found),"action":"bounced","methods":["bounce"],"down_ms":3000.25,"#
                    + #""recovery_ms":1200,"outcome":\#(outcome),"lost":\#(route),"restored":\#(route)"#)
    }

    private static func line(
        _ kind: String, _ condition: String, _ interface: String, at milliseconds: Int64, _ rest: String
    ) -> [UInt8] {
        let json = """
            {"kind":"\(kind)","interface":"\(interface)","by":"run","wall_ms":\(begin + milliseconds),\
            "boot":"another","boot_ms":\(milliseconds),"condition":"\(condition)",\(rest)}
            """
        let sum = String(checksum(Array(json.utf8)), radix: 16)
        let zeros = String(repeating: "0", count: 8 - sum.count)
        return Array("\n\(zeros)\(sum) \(json)\n".utf8)
    }

    /// CRC-32 as zlib computes it.
    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        var sum = UInt32.max
        for byte in bytes { sum = table[Int(UInt8(truncatingIfNeeded: sum) ^ byte)] ^ sum >> 8 }
        return ~sum
    }

    private static let table: [UInt32] = (0..<256).map { byte in
        (0..<8).reduce(byte) { sum, _ in sum >> 1 ^ (sum & 1) &* 0xedb8_8320 }
    }
}
