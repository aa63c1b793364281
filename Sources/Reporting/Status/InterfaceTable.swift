import Model

/// The output of `list`: the interfaces and their states, as a table or as JSON.
public enum InterfaceTable {
    private static let titles = [
        "INTERFACE", "PHY", "TYPE", "STATE", "NETWORK", "SIGNAL", "ADDRESS", "GATEWAY", "OWNER",
    ]
    private static let masterTitle = "MASTER"

    /// The current state and the owners of one interface.
    public struct Entry {
        public var kernelState: KernelState
        public var ownership: Ownership
        /// The driver; nil: the interface is virtual.
        public var driver: DriverName?
        /// What the driver files say of the driver; nil: nothing.
        public var rule: DriverRule?

        public init(
            _ kernelState: KernelState, _ ownership: Ownership, driver: DriverName? = nil,
            rule: DriverRule? = nil
        ) {
            self.kernelState = kernelState
            self.ownership = ownership
            self.driver = driver
            self.rule = rule
        }
    }

    /// A title line and a line for each interface, with aligned columns. The column of masters is only there
    /// if an interface has one.
    /// - Parameter isVerbose: whether to add, below each interface, its driver and the driver's rule.
    public static func table(_ entries: [Entry], isVerbose: Bool = false) -> [String] {
        let masters = entries.map(\.kernelState.link.port?.masterName)
        let rows =
            masters.contains { $0 != nil }
            ? [titles + [masterTitle]] + zip(entries, masters).map { row($0) + [$1 ?? "-"] }
            : [titles] + entries.map(row)
        let lines = TextTable.lines(rows)
        guard isVerbose else { return lines }
        return [lines[0]]
            + zip(lines.dropFirst(), entries).flatMap { [$0] + driverLines($1).map { "    \($0)" } }
    }

    private static func driverLines(_ entry: Entry) -> [String] {
        guard let driver = entry.driver else { return ["driver: none (a virtual interface)"] }
        let name = "driver: \(driver.driver) on \(driver.bus)"
        guard let rule = entry.rule else { return ["\(name), no rule: all methods are allowed"] }
        return ["\(name), rule at \(rule.file):\(rule.line)"]
            + [
                ("allowed", words(of: rule.allowedMethods)), ("forbidden", words(of: rule.forbiddenMethods)),
                ("power-save", rule.powerSave?.rawValue), ("fault", rule.fault), ("remedy", rule.remedy),
                ("source", rule.source),
            ].compactMap { title, text in text.map { "  \(title): \($0)" } }
    }

    private static func words(of methods: [Method]) -> String {
        methods.isEmpty ? "none" : methods.map(\.rawValue).joined(separator: ", ")
    }

    private static func json(_ driver: DriverName, _ rule: DriverRule?) -> JSONText {
        let forbidden = rule?.forbiddenMethods ?? []
        return .object([
            ("name", .string(driver.driver)),
            ("bus", .string(driver.bus)),
            ("allowed", .list((rule?.allowedMethods ?? Method.allCases).map(\.rawValue))),
            ("forbidden", .list(forbidden.map(\.rawValue))),
            ("power_save", .optional(rule?.powerSave?.rawValue)),
            ("fault", .optional(rule?.fault)),
            ("remedy", .optional(rule?.remedy)),
            ("source", .optional(rule?.source)),
            ("rule", .optional(rule.map { "\($0.file):\($0.line)" })),
        ])
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

    /// The fault that the kernel itself shows, in one or two words; without a fault, `up`. If there are
    /// several faults, this is the one of the lowest layer.
    private static func state(_ kernelState: KernelState) -> String {
        switch kernelState.fault?.reason {
        case .radioBlocked(.hard): "hard-blocked"
        case .radioBlocked: "soft-blocked"
        case .administrativelyDown, .closedByKernel: "down"
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
            ("driver", entry.driver.map { json($0, entry.rule) } ?? .null),
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
