import Model

/// The output of `list`: the interfaces and their states, as a table or as JSON.
public enum InterfaceTable {
    private static let titles = [
        "INTERFACE", "PHY", "TYPE", "STATE", "NETWORK", "SIGNAL", "ADDRESS", "GATEWAY", "OWNER",
    ]
    private static let masterTitle = "MASTER"

    /// The current state and the owners of one interface.
    public typealias Entry = (kernelState: KernelState, ownership: Ownership)

    /// A title line and a line for each interface, with aligned columns. The column of masters is only there
    /// if an interface has one.
    public static func table(_ entries: [Entry]) -> [String] {
        let masters = entries.map(\.kernelState.link.port?.masterName)
        guard masters.contains(where: { $0 != nil }) else {
            return TextTable.lines([titles] + entries.map(row))
        }
        return TextTable.lines(
            [titles + [masterTitle]] + zip(entries, masters).map { row($0) + [$1 ?? "-"] })
    }

    private static func row(_ entry: Entry) -> [String] { row(entry.kernelState) + [owner(entry.ownership)] }

    private static func row(_ kernelState: KernelState) -> [String] {
        let association = kernelState.wireless?.association
        return [
            kernelState.link.name, kernelState.wireless.map { "phy\($0.phy)" } ?? "-",
            kernelState.wireless?.role.text ?? "-", state(kernelState),
            association?.ssid?.description ?? association?.bssid.description ?? "-",
            association?.station.signal.map { "\($0) dBm" } ?? "-",
            kernelState.addresses.first(where: \.reachesBeyondLink).map { "\($0.address)/\($0.prefixLength)" }
                ?? "-",
            kernelState.gateways.first?.address.description ?? "-",
        ]
    }

    /// The programs that associate the station and give it addresses.
    private static func owner(_ ownership: Ownership) -> String {
        [ownership.station.text, ownership.network.text].joined(separator: ", ")
    }

    /// The lowest fault, in one or two words.
    private static func state(_ kernelState: KernelState) -> String {
        switch kernelState.fault?.reason {
        case .radioBlocked(.hard): "hard-blocked"
        case .radioBlocked: "soft-blocked"
        case .administrativelyDown: "down"
        case .notAssociated: "not associated"
        case .notAuthorised: "not admitted"
        case .noCarrier: "no carrier"
        case .noAddress: "no address"
        case .addressNotReady: "address pending"
        default: "up"
        }
    }

    /// The JSON object of one interface.
    public static func json(_ entry: Entry) -> JSONText {
        let kernelState = entry.kernelState
        let link = kernelState.link
        return .object([
            ("interface", .string(link.name)),
            ("index", .integer(Int64(link.index.rawValue))),
            ("mac", .optional(link.macAddress?.description)),
            ("phy", kernelState.wireless.map { .integer(Int64($0.phy)) } ?? .null),
            ("type", .optional(kernelState.wireless?.role.text)),
            ("rfkill", .string(kernelState.radio.text)),
            ("administrative", .string(link.isUp ? "up" : "down")),
            ("operational", .string(link.operationalState.text)),
            ("carrier", .bool(link.hasCarrier)),
            ("master", .optional(link.port?.masterName)),
            ("layer", .optional(kernelState.fault?.layer.rawValue)),
            ("association", kernelState.wireless?.association.map(association) ?? .null),
            ("addresses", .array(kernelState.addresses.map { .string("\($0.address)/\($0.prefixLength)") })),
            ("gateways", .array(kernelState.gateways.map(gateway))),
            ("owner", entry.ownership.json),
        ])
    }

    private static func association(_ association: Association) -> JSONText {
        let station = association.station
        return .object([
            ("ssid", .optional(association.ssid?.description)),
            ("bssid", .string(association.bssid.description)),
            ("frequency_mhz", association.frequency.map { .integer(Int64($0)) } ?? .null),
            ("signal_dbm", station.signal.map { .integer(Int64($0)) } ?? .null),
            ("inactive_ms", .milliseconds(station.inactive)),
            ("connected_s", station.connected.map { .integer($0.components.seconds) } ?? .null),
            ("tx_failed", station.sendFailures.map { .integer(Int64($0)) } ?? .null),
            ("tx_retries", station.sendRetries.map { .integer(Int64($0)) } ?? .null),
            ("beacon_loss", station.beaconLosses.map { .integer(Int64($0)) } ?? .null),
            ("tx_bitrate_mbit", station.sendBitrate.map { .thousandths(Int64($0) * 100) } ?? .null),
            ("rx_bitrate_mbit", station.receiveBitrate.map { .thousandths(Int64($0) * 100) } ?? .null),
        ])
    }

    private static func gateway(_ gateway: Gateway) -> JSONText {
        .object([
            ("address", .string(gateway.address.description)),
            ("neighbour", .optional(gateway.neighbour?.state.text)),
            ("mac", .optional(gateway.neighbour?.macAddress?.description)),
            ("confirmed_ms", .milliseconds(gateway.neighbour?.confirmed)),
        ])
    }
}
