import Model
import Toggling

// What nl80211 knew, in a trace.

extension Wireless {
    var traceJSON: JSONText {
        .members([
            ("role", role.traceJSON), ("phy", .number(phy)), ("association", association?.traceJSON),
            ("heard", heard.isEmpty ? nil : .array(heard.map(\.traceJSON))),
        ])
    }

    init(traceJSON json: JSONText) throws(TraceMistake) {
        var object = try TraceObject(json)
        self.init(
            role: try Role(traceJSON: object.take("role")), phy: try object.take("phy").number(),
            association: try object.takeIfThere("association").map(Association.init(traceJSON:)),
            heard: try object.takeIfThere("heard")?.items().map(HeardNetwork.init(traceJSON:)) ?? [])
        try object.end()
    }
}

extension HeardNetwork {
    var traceJSON: JSONText {
        .members([("ssid", ssid.map { .hexadecimal($0.bytes) }), ("ago", .duration(ago))])
    }

    init(traceJSON json: JSONText) throws(TraceMistake) {
        var object = try TraceObject(json)
        self.init(ssid: try object.takeIfThere("ssid")?.bytes().ssid, ago: try object.take("ago").duration())
        try object.end()
    }
}

extension Wireless.Role {
    private enum Kind: String { case station, accessPoint, monitor, adHoc, mesh, p2pClient, other }

    var traceJSON: JSONText {
        switch self {
        case .station: .tagged(Kind.station)
        case .accessPoint: .tagged(Kind.accessPoint)
        case .monitor: .tagged(Kind.monitor)
        case .adHoc: .tagged(Kind.adHoc)
        case .mesh: .tagged(Kind.mesh)
        case .p2pClient: .tagged(Kind.p2pClient)
        case .other(let number): .tagged(Kind.other, .number(number))
        }
    }

    init(traceJSON json: JSONText) throws(TraceMistake) {
        let (kind, payload) = try json.tag("a role", Kind.self)
        if kind != .other { try payload.nothing() }
        switch kind {
        case .station: self = .station
        case .accessPoint: self = .accessPoint
        case .monitor: self = .monitor
        case .adHoc: self = .adHoc
        case .mesh: self = .mesh
        case .p2pClient: self = .p2pClient
        case .other: self = .other(try payload.number())
        }
    }
}

extension Association {
    var traceJSON: JSONText {
        .members([
            ("bssid", bssid.traceJSON), ("ssid", ssid.map { .hexadecimal($0.bytes) }),
            ("frequency", frequency.map { .number($0) }), ("station", station.traceJSON),
        ])
    }

    init(traceJSON json: JSONText) throws(TraceMistake) {
        var object = try TraceObject(json)
        self.init(
            bssid: try MACAddress(traceJSON: object.take("bssid")),
            ssid: try object.takeIfThere("ssid")?.bytes().ssid,
            frequency: try object.takeIfThere("frequency")?.number(),
            station: try StationInformation(traceJSON: object.take("station")))
        try object.end()
    }
}

extension Scan {
    var traceJSON: JSONText {
        .members([
            ("frequencies", .array(frequencies.map { .number($0) })),
            ("names", names.isEmpty ? nil : .array(names.map { .hexadecimal($0.bytes) })),
        ])
    }

    init(traceJSON json: JSONText) throws(TraceMistake) {
        var object = try TraceObject(json)
        self.init(
            frequencies: try object.take("frequencies").items().map { item throws(TraceMistake) in
                try item.number()
            },
            names: try object.takeIfThere("names")?.items().map { item throws(TraceMistake) in
                try item.bytes().ssid
            } ?? [])
        try object.end()
    }
}

extension [UInt8] {
    fileprivate var ssid: SSID { SSID(self) }
}

extension StationInformation {
    var traceJSON: JSONText {
        .members([
            ("signal", signal.map { .number($0) }), ("inactive", inactive.map(JSONText.duration)),
            ("connected", connected.map(JSONText.duration)),
            ("send_failures", sendFailures.map { .number($0) }),
            ("send_retries", sendRetries.map { .number($0) }),
            ("beacon_losses", beaconLosses.map { .number($0) }),
            ("send_bitrate", sendBitrate.map { .number($0) }),
            ("receive_bitrate", receiveBitrate.map { .number($0) }),
        ])
    }

    init(traceJSON json: JSONText) throws(TraceMistake) {
        var object = try TraceObject(json)
        self.init(
            signal: try object.takeIfThere("signal")?.number(),
            inactive: try object.takeIfThere("inactive")?.duration(),
            connected: try object.takeIfThere("connected")?.duration(),
            sendFailures: try object.takeIfThere("send_failures")?.number(),
            sendRetries: try object.takeIfThere("send_retries")?.number(),
            beaconLosses: try object.takeIfThere("beacon_losses")?.number(),
            sendBitrate: try object.takeIfThere("send_bitrate")?.number(),
            receiveBitrate: try object.takeIfThere("receive_bitrate")?.number())
        try object.end()
    }
}

extension Disconnection {
    var traceJSON: JSONText {
        .members([
            ("reason", reason.map { .number($0) }), ("by_access_point", isByAccessPoint ? .bool(true) : nil),
        ])
    }

    init(traceJSON json: JSONText) throws(TraceMistake) {
        var object = try TraceObject(json)
        self.init(
            reason: try object.takeIfThere("reason")?.number(),
            isByAccessPoint: try object.takeIfThere("by_access_point")?.flag() ?? false)
        try object.end()
    }
}
