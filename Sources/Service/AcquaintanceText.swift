import Toggling

/// Who has answered where, as the lines of a file: a title, then one line each with the moment of the last answer
/// (seconds since 1970), the network's name in hexadecimal digits, with the family of its access points behind a
/// stroke where that is known, its routers as `ADDRESS/MAC`, and the target; `-` where there is nothing to name.
///
/// A line that is none of ours is left out: who is not remembered is met again.
public struct AcquaintanceText {
    private static let title = "wifi-toggler learned 1"
    private static let nothing = "-"
    private static let lineFeed = UInt8(ascii: "\n")

    /// The moment on both clocks that ages are counted from. A wall clock that is behind what the file has seen
    /// is not set yet: then the newest line is as of now.
    private let now: Instant
    private let wallNow: Int64
    public private(set) var acquaintances: Acquaintances

    /// - Parameters:
    ///   - bytes: of the file; nil: there is none.
    ///   - wallNow: seconds since 1970.
    public init(_ bytes: [UInt8]?, now: Instant, wallNow: Int64) {
        // Octets, not characters: a carriage return and its line feed are one Character, and would be no end of a line.
        let lines = bytes?.split(separator: Self.lineFeed) ?? []
        let isOurs = lines.first.map { $0.elementsEqual(Self.title.utf8) } ?? false
        let parsed = isOurs ? lines.dropFirst().compactMap(Self.parse) : []
        let reference = max(wallNow, parsed.map(\.seconds).max() ?? wallNow)
        self.now = now
        self.wallNow = reference
        acquaintances = Acquaintances(
            parsed.compactMap { line in
                let age = reference - line.seconds
                guard age < Acquaintances.lifetime.components.seconds else { return nil }
                return Acquaintances.Entry(
                    network: line.network, target: line.target, answered: now + .seconds(-age))
            })
    }

    /// What the file is to hold from now on.
    public func bytes(for acquaintances: Acquaintances) -> [UInt8] {
        let lines = acquaintances.entries.map { entry in
            let seconds = wallNow + (entry.answered - now).components.seconds
            return "\(seconds) \(Self.words(entry.network)) \(entry.target)"
        }
        return Array(([Self.title] + lines).joined(separator: "\n").utf8) + [Self.lineFeed]
    }

    // MARK: One line

    private static func words(_ network: Network) -> String {
        let name = network.ssid.map { String(decoding: Hexadecimal.digits(of: $0.bytes), as: UTF8.self) }
        let routers = network.routers.map { "\($0.address)/\($0.macAddress?.description ?? nothing)" }
        let air =
            (name.map { $0.isEmpty ? nothing : $0 } ?? nothing) + (network.family.map { "/\($0)" } ?? "")
        return air + " " + (routers.isEmpty ? nothing : routers.joined(separator: ","))
    }

    private static func parse(_ line: ArraySlice<UInt8>) -> (
        seconds: Int64, network: Network, target: String
    )? {
        let fields = line.split(separator: UInt8(ascii: " "), maxSplits: 3, omittingEmptySubsequences: false)
        let words = fields.compactMap { String(validating: $0, as: UTF8.self) }
        guard fields.count == 4, words.count == 4, let seconds = Int64(words[0]), seconds >= 0,
            isTarget(fields[3]), let air = air(words[1]), let routers = routers(words[2])
        else { return nil }
        return (seconds, Network(ssid: air.ssid, family: air.family, routers: routers), words[3])
    }

    private static func air(_ word: String) -> (ssid: SSID?, family: BSSIDFamily?)? {
        let parts = word.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(
            String.init)
        let ssid = name(parts[0])
        guard ssid != nil || parts[0] == nothing else { return nil }
        guard parts.count > 1 else { return (ssid, nil) }
        return BSSIDFamily(parts[1]).map { (ssid, $0) }
    }

    /// Whether it can be a line of ours: no probe that the program takes has a control character in its target.
    private static func isTarget(_ octets: ArraySlice<UInt8>) -> Bool {
        let delete: UInt8 = 0x7f
        return !octets.isEmpty && octets.allSatisfy { $0 >= UInt8(ascii: " ") && $0 != delete }
    }

    private static func name(_ word: String) -> SSID? {
        guard !word.isEmpty else { return nil }
        return Hexadecimal.octets(of: Array(word.lowercased().utf8)[...]).map { SSID($0) }
    }

    private static func routers(_ word: String) -> [Network.Router]? {
        if word == nothing { return [] }
        let parts = word.split(separator: ",", omittingEmptySubsequences: false)
        let routers = parts.compactMap(router)
        return routers.count == parts.count ? routers : nil
    }

    private static func router(_ text: Substring) -> Network.Router? {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let address = IPAddress(String(parts[0])) else { return nil }
        let macAddress = MACAddress(text: String(parts[1]))
        guard macAddress != nil || parts[1] == nothing else { return nil }
        return Network.Router(address: address, macAddress: macAddress)
    }
}
