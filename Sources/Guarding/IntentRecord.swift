import Model
import Platform
import Recovery

/// The data that is needed to finish a bounce in place of the process that began it. It is stored in a file
/// below /run during the bounce.
///
/// The format is lines of text. Messages of the kernel are written as hexadecimal digits. The last line is
/// `end`. If it is missing, writing was interrupted, and the bounce never began.
public struct IntentRecord: Equatable, Sendable {
    /// The boot in which the record is valid (random(4), boot_id), or `unknown`.
    public var boot: String
    /// The network namespace in which the record is valid, or `unknown`.
    public var namespace: String
    public var index: InterfaceIndex
    public var name: String
    /// How to restore the link. The process that creates the guard determines it before the link is taken
    /// down (`LinkControl.undo`).
    public var undo: LinkUndo
    /// The order for the guard. Its method matches `undo`.
    public var order: GuardOrder

    static let unknown = "unknown"
    private static let title = "wifi-toggler-intent 1"
    private static let ending = "end"
    private static let noAddress = "-"
    /// The most that `--delay` and `--settle` allow. A longer duration in a record is reduced to this.
    static let (longestDownTime, longestSettle): (Duration, Duration) = (.seconds(60), .seconds(600))
    /// The longest duration that is parsed, in nanoseconds. A record with a longer one is invalid.
    private static let longest: Int64 = 366 * 86_400 * 1_000_000_000

    /// - Parameter undo: how to restore the link; it determines the method of the order.
    public init(
        boot: String?, namespace: String?, index: InterfaceIndex, name: String, order: GuardOrder,
        undo: LinkUndo = .link
    ) {
        self.boot = boot ?? Self.unknown
        self.namespace = namespace ?? Self.unknown
        self.index = index
        self.name = name
        self.undo = undo
        self.order = order
        self.order.method = undo.method
    }

    // MARK: To bytes

    public var bytes: [UInt8] {
        var lines = [
            Self.title, "boot \(Self.oneLine(boot))", "namespace \(Self.oneLine(namespace))",
            "interface \(index.rawValue) \(order.macAddress?.description ?? Self.noAddress) \(Self.oneLine(name))",
            "down \(order.downTime.nanoseconds)", "settle \(order.settle.nanoseconds)",
            "restore \(order.restores ? "yes" : "no")",
        ]
        if let addressOwner = order.snapshot.addressOwner { lines.append("owner \(addressOwner.rawValue)") }
        if let line = undo.line { lines.append(line) }
        var text = Array((lines.joined(separator: "\n") + "\n").utf8)
        for item in order.snapshot.items {
            text += Array("item \(item.kind.rawValue) \(Self.owner(of: item)) ".utf8)
            text += Hexadecimal.digits(of: item.message)
            text += Array(" \(Self.oneLine(item.description))\n".utf8)
        }
        return text + Array("\(Self.ending)\n".utf8)
    }

    private static func owner(of item: Snapshot.Item) -> String {
        (item.isAdministrators ? "admin" : "other") + (item.configSource.map { "/\($0.rawValue)" } ?? "")
    }

    private static func oneLine(_ text: String) -> String {
        // Only line feeds are replaced. Other control characters must stay, because the name is compared when
        // the record is read.
        String(decoding: text.utf8.map { $0 == UInt8(ascii: "\n") ? UInt8(ascii: "?") : $0 }, as: UTF8.self)
    }

    // MARK: From bytes

    /// Parses a record. Returns nil if it is incomplete or invalid.
    public init?(_ bytes: [UInt8]) {
        var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)[...]
        guard lines.popLast()?.isEmpty == true, Self.text(lines.popLast()) == Self.ending,
            Self.text(lines.popFirst()) == Self.title,
            let boot = Self.text(Self.value("boot", lines.popFirst())),
            let namespace = Self.text(Self.value("namespace", lines.popFirst())),
            let interface = Self.value("interface", lines.popFirst())?.split(
                separator: UInt8(ascii: " "), maxSplits: 2, omittingEmptySubsequences: false),
            interface.count == 3, let index = Self.text(interface[0]).flatMap({ Int32($0) }), index > 0,
            let address = Self.text(interface[1]), let name = Self.text(interface[2]),
            let downTime = Self.duration("down", lines.popFirst(), atMost: Self.longestDownTime),
            let settle = Self.duration("settle", lines.popFirst(), atMost: Self.longestSettle),
            let restores = Self.text(Self.value("restore", lines.popFirst())),
            ["yes", "no"].contains(restores)
        else { return nil }
        let macAddress = MACAddress(canonical: address)
        var addressOwner: Owner?
        if let name = Self.value("owner", lines.first) {
            guard let owner = Self.text(name).flatMap({ Owner(rawValue: $0) }) else { return nil }
            addressOwner = owner
            lines.removeFirst()
        }
        guard macAddress != nil || address == Self.noAddress, let undo = LinkUndo(takenFrom: &lines, of: name)
        else {
            return nil
        }
        var items: [Snapshot.Item] = []
        for line in lines {
            guard let item = Self.item(line) else { return nil }
            items.append(item)
        }
        self.boot = boot
        self.namespace = namespace
        self.index = InterfaceIndex(rawValue: index)
        self.name = name
        self.undo = undo
        order = GuardOrder(
            macAddress: macAddress, snapshot: Snapshot(items: items, addressOwner: addressOwner),
            downTime: downTime,
            settle: settle, restores: restores == "yes", method: undo.method)
    }

    private static func text(_ line: ArraySlice<UInt8>?) -> String? {
        line.flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// The rest of a line after a key and a space; nil if the line has another key. Compares bytes: in a
    /// String, a space and a combining mark after it would be one Character.
    private static func value(_ key: String, _ line: ArraySlice<UInt8>?) -> ArraySlice<UInt8>? {
        let start = (key + " ").utf8
        guard let line, line.starts(with: start) else { return nil }
        return line.dropFirst(start.count)
    }

    private static func duration(
        _ key: String, _ line: ArraySlice<UInt8>?, atMost most: Duration
    ) -> Duration? {
        guard let nanoseconds = text(value(key, line)).flatMap({ Int64($0) }),
            (0...longest).contains(nanoseconds)
        else { return nil }
        return min(.nanoseconds(nanoseconds), most)
    }

    private static func item(_ line: ArraySlice<UInt8>) -> Snapshot.Item? {
        let fields = line.split(
            separator: UInt8(ascii: " "), maxSplits: 4, omittingEmptySubsequences: false)
        guard fields.count == 5, text(fields[0]) == "item",
            let kind = text(fields[1]).flatMap({ Snapshot.Item.Kind(rawValue: $0) }),
            let (isAdministrators, configSource) = owner(fields[2]),
            let message = Hexadecimal.bytes(of: fields[3]), let words = text(fields[4])
        else { return nil }
        return Snapshot.Item(
            kind: kind, message: message, description: words, isAdministrators: isAdministrators,
            configSource: configSource)
    }

    /// Parses `admin` or `other`, optionally followed by a slash and a configuration source.
    private static func owner(_ field: ArraySlice<UInt8>) -> (isAdministrators: Bool, ConfigSource?)? {
        let parts = field.split(
            separator: UInt8(ascii: "/"), maxSplits: 1, omittingEmptySubsequences: false)
        guard let word = text(parts.first), ["admin", "other"].contains(word) else { return nil }
        if parts.count == 1 { return (word == "admin", nil) }
        guard let configSource = text(parts[1]).flatMap({ ConfigSource(rawValue: $0) }) else { return nil }
        return (word == "admin", configSource)
    }
}

extension LinkUndo {
    private static let radioWord = "radio"
    private static let driverWord = "driver"
    private static let resetWord = "reset"
    private static let unitWord = "reset-unit"

    /// The line of the record that says how to restore the link; nil for the method `bounce`.
    fileprivate var line: String? {
        switch self {
        case .link: nil
        case .radio(let radio): "\(Self.radioWord) \(radio.index)"
        case .driver(let found): "\(Self.driverWord) \(Self.words(found))"
        case .reset(let reset): ([Self.resetWord] + reset.bindings.map(Self.words)).joined(separator: " ")
        case .unit(let unit):
            ([Self.unitWord] + unit.reset.bindings.map(Self.words)).joined(separator: " ")
        }
    }

    private static func words(_ found: DriverBinding) -> String {
        "\(found.bus) \(found.driver) \(found.device)"
    }

    /// Parses bindings of three words each. Returns nil if the words are invalid.
    private static func bindings(_ words: ArraySlice<String?>) -> [DriverBinding]? {
        // An SDIO card has at most seven functions and a host, which are 24 words.
        guard words.count % 3 == 0, words.count <= 24 else { return nil }
        var found: [DriverBinding] = []
        for start in stride(from: words.startIndex, to: words.endIndex, by: 3) {
            guard let bus = words[start], let driver = words[start + 1], let device = words[start + 2],
                let binding = DriverBinding(bus: bus, driver: driver, device: device)
            else { return nil }
            found.append(binding)
        }
        return found
    }

    /// If the first line says how to restore the link, removes and parses that line. Without such a line, the
    /// method is `bounce`. Returns nil if the line is invalid.
    fileprivate init?(takenFrom lines: inout ArraySlice<ArraySlice<UInt8>>, of interface: String) {
        let fields = lines.first.map {
            $0.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        }
        let words = fields?.map { String(validating: $0, as: UTF8.self) } ?? []
        switch words.first ?? nil {
        case Self.radioWord?:
            guard words.count == 2, let index = words[1].flatMap({ UInt32($0) }) else { return nil }
            self = .radio(RadioSwitch(index: index))
        case Self.driverWord?:
            guard let found = Self.bindings(words.dropFirst()), found.count == 1 else { return nil }
            self = .driver(found[0])
        case Self.resetWord?:
            guard let found = Self.bindings(words.dropFirst()).flatMap(BusReset.init) else { return nil }
            self = .reset(found)
        case Self.unitWord?:
            guard let reset = Self.bindings(words.dropFirst()).flatMap(BusReset.init),
                let unit = ResetUnit(interface, reset)
            else { return nil }
            self = .unit(unit)
        default:
            self = .link
            return
        }
        lines.removeFirst()
    }
}
