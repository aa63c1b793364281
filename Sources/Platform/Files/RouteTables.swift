/// The interfaces that have a default route, from /proc/net/route (the main table of IPv4) and
/// /proc/net/ipv6_route (all tables of IPv6; proc(5)). Routes that are down or reject packets do not count.
public struct RouteTables {
    private static let largest = 1 << 20
    /// The flags RTF_UP and RTF_REJECT (linux/route.h).
    private static let isUp: UInt32 = 0x1
    private static let refuses: UInt32 = 0x200

    /// The names of the interfaces, each once, in the order of their routes; nil if the table cannot be read.
    public let overIPv4: [String]?
    public let overIPv6: [String]?

    /// - Parameter root: the root of the file system, without a slash at its end.
    public init(root: String = "") {
        // The columns are: Iface Destination Gateway Flags RefCnt Use Metric Mask MTU Window IRTT.
        overIPv4 = Self.interfaces("\(root)/proc/net/route") { words in
            guard words.count >= 8, words[1] == "00000000", words[7] == "00000000" else { return nil }
            return (words[0], words[3])
        }
        // The columns are: destination, prefix, source, prefix, next hop, metric, references, use, flags,
        // interface.
        overIPv6 = Self.interfaces("\(root)/proc/net/ipv6_route") { words in
            guard words.count == 10, words[0].utf8.allSatisfy({ $0 == 0x30 }), words[1] == "00" else {
                return nil
            }
            return (words[9], words[8])
        }
    }

    private static func interfaces(
        _ path: String, _ parse: ([String]) -> (name: String, flags: String)?
    ) -> [String]? {
        guard let bytes = try? SmallFile.bytes(path, largest: largest) else { return nil }
        var names: [String] = []
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            let words = line.split { $0 == 0x20 || $0 == 0x09 }.map { String(decoding: $0, as: UTF8.self) }
            guard let found = parse(words), let flags = UInt32(found.flags, radix: 16),
                flags & isUp != 0, flags & refuses == 0, found.name != "lo", !names.contains(found.name)
            else { continue }
            names.append(found.name)
        }
        return names
    }
}
