import Model

/// A network as two words of a line. The first is the SSID in hexadecimal digits, followed by a slash and the
/// family of the access points if that is known. The second is the routers as `ADDRESS/MAC`, separated by
/// commas. A missing SSID, a missing MAC address and an empty list of routers are `-`.
enum NetworkText {
    private static let nothing = "-"

    static func description(_ network: Network) -> String {
        let name = network.ssid.map { String(decoding: Hexadecimal.digits(of: $0.bytes), as: UTF8.self) }
        let routers = network.routers.map { "\($0.address)/\($0.macAddress?.description ?? nothing)" }
        let air =
            (name.map { $0.isEmpty ? nothing : $0 } ?? nothing) + (network.family.map { "/\($0)" } ?? "")
        return air + " " + (routers.isEmpty ? nothing : routers.joined(separator: ","))
    }

    /// Parses the two words; nil: they are invalid.
    static func network(_ air: String, _ routers: String) -> Network? {
        guard let air = self.air(air), let routers = self.routers(routers) else { return nil }
        return Network(ssid: air.ssid, family: air.family, routers: routers)
    }

    private static func air(_ word: String) -> (ssid: SSID?, family: BSSIDFamily?)? {
        let parts = word.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(
            String.init)
        let ssid = name(parts[0])
        guard ssid != nil || parts[0] == nothing else { return nil }
        guard parts.count > 1 else { return (ssid, nil) }
        return BSSIDFamily(canonical: parts[1]).map { (ssid, $0) }
    }

    private static func name(_ word: String) -> SSID? {
        guard !word.isEmpty else { return nil }
        return Hexadecimal.bytes(of: Array(word.lowercased().utf8)[...]).map { SSID($0) }
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
