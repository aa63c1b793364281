import Glibc
import Model

@testable import Invocation

/// Single values as people write them: durations, counts, probes, hosts, addresses, names and patterns.
enum ValueTexts {
    static func take(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        takeDuration(text)
        takeAddress(text)
        takeHardwareAddress(text)
        takeOptions(text)
        takeNames(text, bytes)
        if let duration = duration(of: bytes) { takeLength(duration) }
    }

    private static func takeDuration(_ text: String) {
        guard let duration = try? DurationText.parse(text) else { return }
        demand(duration >= .zero, "less than nothing: \(duration)")
        let written = DurationText.format(duration)
        demand((try? DurationText.parse(written)) == duration, "\(duration) became \(written)")
    }

    /// Any duration, from 16 bytes.
    private static func duration(of bytes: [UInt8]) -> Duration? {
        guard bytes.count == MemoryLayout<Int128>.size else { return nil }
        let attoseconds = bytes.withUnsafeBytes { $0.loadUnaligned(as: Int128.self) }
        return Duration(attoseconds: attoseconds)
    }

    /// Writes the duration as text, and reads it again if it is within the range of the parser.
    private static func takeLength(_ duration: Duration) {
        let second: Int128 = 1_000_000_000
        // The formatter cannot get more seconds than an Int64 from a Duration, some 292 thousand million
        // years.
        guard Int64(exactly: duration.attoseconds / (second * second)) ?? .min > .min else { return }
        let written = DurationText.format(duration)
        demandPrintable(written)
        let nanoseconds = duration.attoseconds / second
        guard nanoseconds >= 0, nanoseconds <= Int128(Int64.max) else { return }
        let expected = Duration(attoseconds: nanoseconds * second)
        demand((try? DurationText.parse(written)) == expected, "\(duration) became \(written)")
    }

    /// Parses an address, and compares the result with that of inet_pton(3).
    private static func takeAddress(_ text: String) {
        let address = IPAddress(text)
        if let address {
            demand(IPAddress(address.description) == address, "\(text) became \(address)")
        }
        guard !text.utf8.contains(0) else { return }
        demand(address?.bytes == bytes(AF_INET, text) ?? bytes(AF_INET6, text), "inet_pton: \(text)")
    }

    private static func bytes(_ family: Int32, _ text: String) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: family == AF_INET ? 4 : 16)
        return inet_pton(family, text, &bytes) == 1 ? bytes : nil
    }

    private static func takeHardwareAddress(_ text: String) {
        guard let address = MACAddress(text: text) else { return }
        demand(MACAddress(text: address.description) == address, "\(text) became \(address)")
    }

    /// The kinds of option values, each range once.
    private static let kinds = OptionTable.rows.map(\.kind).reduce(into: [OptionKind]()) { kinds, kind in
        if !kinds.contains(kind) { kinds.append(kind) }
    }

    /// Every kind of option parses every value: it accepts it, or refuses it with a printable message.
    private static func takeOptions(_ text: String) {
        for kind in kinds {
            do throws(ValueProblem) {
                _ = try kind.parse(text)
            } catch {
                demandPrintable(error.description)
            }
        }
        if let probe = try? ProbeText.parse(text) { takeProbe(probe, text) }
        if case .name(let name)? = HostText.parse(text) { demandPrintable(name) }
        if let suggestion = Suggestion.nearest(to: text, among: ProbeText.kinds) {
            demand(ProbeText.kinds.contains(suggestion), "not known: \(suggestion)")
        }
        demandPrintable(QuotedText.quote(text))
    }

    /// A value that is sent in a request is printable, and the path of a program is as it was written.
    private static func takeProbe(_ probe: ProbeSpec, _ text: String) {
        switch probe.method {
        case .auto, .none, .neighbour, .icmp, .tcp: break
        case .dns(let name, _): demandPrintable(name)
        case .http(let page):
            let isWeb = page.url.hasPrefix("http://") || page.url.hasPrefix("https://")
            demand(isWeb && page.url.utf8.allSatisfy { (0x21...0x7e).contains($0) }, "not a URL: \(page)")
            switch page.expectation {
            case .status(let status): demand((200...599).contains(status), "no status: \(status)")
            case .body(let body): demandPrintable(body)
            }
        case .command(let path):
            let isWritten = text.utf8.reversed().starts(with: path.utf8.reversed())
            demand(path.utf8.first == UInt8(ascii: "/") && isWritten, "another path: \(path)")
            demandPrintable(path)
        }
    }

    /// A pattern and a name, with a NUL or a newline between them.
    private static func takeNames(_ text: String, _ bytes: [UInt8]) {
        if let pattern = try? InterfacePattern(text) {
            demand(pattern.matches(text), "\(text) does not match itself")
            _ = pattern.matches("wlan0")
        }
        let parts = bytes.split(maxSplits: 1) { $0 == 0 || $0 == UInt8(ascii: "\n") }.map { Array($0) }
        guard parts.count == 2 else { return }
        let isMatch = Glob.matches(pattern: parts[0], name: parts[1])
        if let expected = shellMatch(parts[0], parts[1]) {
            demand(isMatch == expected, "fnmatch says \(expected): \(parts)")
        }
    }

    /// Whether the pattern's one bracket expression, if it has one, is closed. A `]` that comes first in it
    /// does not close it.
    private static func isClosed(_ pattern: [UInt8]) -> Bool {
        guard let opening = pattern.firstIndex(of: UInt8(ascii: "[")) else { return true }
        let negations = [UInt8(ascii: "!"), UInt8(ascii: "^")]
        let inside = pattern[(opening + 1)...]
        let isNegated = inside.first.map(negations.contains) ?? false
        return inside.dropFirst(isNegated ? 2 : 1).contains(UInt8(ascii: "]"))
    }

    /// The result of fnmatch(3); nil for patterns that it treats differently (escapes, classes, a bracket
    /// that is never closed), or for which it may take very long.
    private static func shellMatch(_ pattern: [UInt8], _ name: [UInt8]) -> Bool? {
        let stars = pattern.count { $0 == UInt8(ascii: "*") }
        let brackets = pattern.count { $0 == UInt8(ascii: "[") }
        let isPlain =
            pattern.allSatisfy { $0 < 0x80 && $0 != UInt8(ascii: "\\") } && name.allSatisfy { $0 < 0x80 }
        guard stars <= 3, brackets <= 1, isClosed(pattern), isPlain, !pattern.contains(0), !name.contains(0)
        else {
            return nil
        }
        let (patternText, nameText) = (pattern + [0], name + [0])
        return patternText.withUnsafeBytes { pattern in
            nameText.withUnsafeBytes { name in
                fnmatch(
                    pattern.assumingMemoryBound(to: CChar.self).baseAddress!,
                    name.assumingMemoryBound(to: CChar.self).baseAddress!, 0) == 0
            }
        }
    }
}
