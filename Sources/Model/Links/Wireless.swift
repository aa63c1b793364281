/// What the kernel reports of a Wi-Fi interface through nl80211 (linux/nl80211.h).
public struct Wireless: Codable, Hashable, Sendable {
    /// The role of the interface (enum nl80211_iftype); `other` holds the kernel's number of any further
    /// role.
    public enum Role: Codable, Hashable, Sendable {
        case station, accessPoint, monitor, adHoc, mesh, p2pClient, p2pGroupOwner
        case other(UInt32)

        /// Whether other machines may reach a network through an interface in this role.
        public var servesOthers: Bool {
            switch self {
            case .accessPoint, .mesh, .p2pGroupOwner: true
            case .station, .monitor, .adHoc, .p2pClient, .other: false
            }
        }
    }

    public var role: Role
    /// The number of the radio (NL80211_ATTR_WIPHY).
    public var phy: UInt32
    /// The network that the station is associated with; nil: it is not associated.
    public var association: Association?
    /// The scan results, if the station is not associated; empty: there are none, or they are not known.
    public var heard: [HeardNetwork]

    public init(role: Role, phy: UInt32, association: Association? = nil, heard: [HeardNetwork] = []) {
        self.role = role
        self.phy = phy
        self.association = association
        self.heard = heard
    }
}

/// A network name: up to 32 bytes that are not necessarily text (IEEE 802.11, 9.4.2.2).
public struct SSID: Codable, Hashable, Sendable, CustomStringConvertible {
    public var bytes: [UInt8]
    public init(_ bytes: some Collection<UInt8>) { self.bytes = Array(bytes) }

    /// The name as text if it is valid UTF-8, with each control character and backslash as `\xNN`. If it is
    /// not valid UTF-8, every backslash and every byte that is not printable ASCII is written as `\xNN`.
    public var description: String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            return bytes.map(Self.escape).joined()
        }
        return text.unicodeScalars.map { scalar in
            scalar.properties.generalCategory == .control || scalar == "\\"
                ? scalar.utf8.map(Self.hexadecimal).joined() : String(scalar)
        }.joined()
    }

    private static func escape(_ byte: UInt8) -> String {
        (0x20..<0x7f).contains(byte) && byte != UInt8(ascii: "\\")
            ? String(Unicode.Scalar(byte)) : hexadecimal(byte)
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
}

/// A network that the radio heard: an entry of the kernel's scan results (NL80211_CMD_GET_SCAN), which the
/// kernel keeps for half a minute.
public struct HeardNetwork: Codable, Hashable, Sendable {
    /// The name of the network; nil: not reported.
    public var ssid: SSID?
    /// How long ago the network was last heard.
    public var ago: Duration

    public init(ssid: SSID?, ago: Duration) {
        self.ssid = ssid
        self.ago = ago
    }

    /// Whether the network hides its name: it sends no name, or only zeros.
    public var isHidden: Bool { ssid?.bytes.allSatisfy { $0 == 0 } ?? true }
}

/// The network that a station is associated with, and the driver's statistics about its access point.
public struct Association: Codable, Hashable, Sendable {
    public var bssid: MACAddress
    /// The network's name (NL80211_ATTR_SSID); nil: the kernel does not report it.
    public var ssid: SSID?
    /// The frequency of the channel in MHz; nil: the kernel does not report it.
    public var frequency: UInt32?
    public var station: StationInformation

    public init(
        bssid: MACAddress, ssid: SSID? = nil, frequency: UInt32? = nil,
        station: StationInformation = StationInformation()
    ) {
        self.bssid = bssid
        self.ssid = ssid
        self.frequency = frequency
        self.station = station
    }
}

/// The driver's statistics about the access point (enum nl80211_sta_info). A value that the driver does not
/// report is nil.
public struct StationInformation: Codable, Hashable, Sendable {
    /// The strength of the signal in dBm.
    public var signal: Int8?
    /// How long ago the station last received a frame from the access point; some drivers count beacons,
    /// others do not.
    public var inactive: Duration?
    /// How long the station has been associated.
    public var connected: Duration?
    /// The number of sent frames that the access point never acknowledged.
    public var sendFailures: UInt32?
    public var sendRetries: UInt32?
    /// How often the driver noticed that beacons were missing.
    public var beaconLosses: UInt32?
    /// The bit rate of the last sent frame, in units of 100 kbit/s (NL80211_STA_INFO_TX_BITRATE).
    public var sendBitrate: UInt32?
    /// The bit rate of the last received frame, in units of 100 kbit/s (NL80211_STA_INFO_RX_BITRATE).
    public var receiveBitrate: UInt32?

    public init(
        signal: Int8? = nil, inactive: Duration? = nil, connected: Duration? = nil,
        sendFailures: UInt32? = nil, sendRetries: UInt32? = nil, beaconLosses: UInt32? = nil,
        sendBitrate: UInt32? = nil, receiveBitrate: UInt32? = nil
    ) {
        self.signal = signal
        self.inactive = inactive
        self.connected = connected
        self.sendFailures = sendFailures
        self.sendRetries = sendRetries
        self.beaconLosses = beaconLosses
        self.sendBitrate = sendBitrate
        self.receiveBitrate = receiveBitrate
    }
}

/// Whether and how rfkill blocks the radio (rfkill(8), linux/rfkill.h).
public enum RadioBlock: String, Codable, Hashable, Sendable, CaseIterable {
    /// No block, or no rfkill switch for this interface.
    case none
    /// Blocked by software; `rfkill unblock` lifts the block.
    case soft
    /// Blocked by a switch on the machine. The radio may be blocked by software as well.
    case hard

    /// The longest time between the announcements of a block and of the link that it has set down. They come
    /// from different sockets, so either may come first.
    package static let reach: Duration = .seconds(2)
}

/// How an association ended (NL80211_CMD_DISCONNECT, linux/nl80211.h).
public struct Disconnection: Codable, Hashable, Sendable {
    /// The reason code (NL80211_ATTR_REASON_CODE; IEEE 802.11, 9.4.1.7); nil: not reported, or the driver
    /// itself has ended the association.
    public var reason: UInt16?
    /// Whether the access point ended the association (NL80211_ATTR_DISCONNECTED_BY_AP).
    public var isByAccessPoint: Bool

    public init(reason: UInt16? = nil, isByAccessPoint: Bool) {
        self.reason = reason
        self.isByAccessPoint = isByAccessPoint
    }

    /// WLAN_REASON_DEAUTH_LEAVING (linux/ieee80211.h).
    private static let leaving: UInt16 = 3

    /// Whether this machine left the network by itself. If it lost the access point, the reason is another
    /// one, such as inactivity.
    package var isLeave: Bool { !isByAccessPoint && reason == Self.leaving }
}
