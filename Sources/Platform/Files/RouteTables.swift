/// The interfaces that have a default route of IPv4 in the main table, from /proc/net/route (proc(5)). Routes
/// that are down or reject packets do not count. Of a route with several next hops, the file shows only the
/// first. `NetlinkCommands.interfacesWithDefaultRoute` finds all, in all tables and of both families.
public struct RouteTables {
    private static let largest = 1 << 20
    /// The flags RTF_UP and RTF_REJECT (linux/route.h).
    private static let isUp: UInt32 = 0x1
    private static let refuses: UInt32 = 0x200

    /// The names of the interfaces, each once, in the order of their routes; nil if the table cannot be read.
    public let overIPv4: [String]?

    /// - Parameter root: the root of the file system, without a slash at its end.
    public init(root: String = "") {
        let file = try? SmallFile.bytes("\(root)/proc/net/route", largest: Self.largest)
        overIPv4 = file.map(Self.interfaces)
    }

    private static func interfaces(_ file: [UInt8]) -> [String] {
        var names: [String] = []
        for line in file.split(separator: UInt8(ascii: "\n")) {
            // The columns are: Iface Destination Gateway Flags RefCnt Use Metric Mask MTU Window IRTT.
            let words = line.split { $0 == 0x20 || $0 == 0x09 }.map { String(decoding: $0, as: UTF8.self) }
            guard words.count >= 8, words[1] == "00000000", words[7] == "00000000",
                let flags = UInt32(words[3], radix: 16), flags & isUp != 0, flags & refuses == 0,
                words[0] != "lo", !names.contains(words[0])
            else { continue }
            names.append(words[0])
        }
        return names
    }
}
