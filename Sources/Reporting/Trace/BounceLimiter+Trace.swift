import Model
import Toggling

// What earlier runs have left, in a trace.

extension SavedLimiter {
    var traceJSON: JSONText {
        .members([
            ("bounces", .array(bounces.map { .duration($0 - .boot) })), ("outage", .number(bouncesInOutage)),
            ("earliest", earliest.map { .duration($0 - .boot) }),
            ("healthy", healthySince.map { .duration($0 - .boot) }), ("useless", .number(useless)),
            ("network", network.map { .members($0.members) }),
        ])
    }

    init(traceJSON json: JSONText) throws(TraceMistake) {
        var object = try TraceObject(json)
        let bounces = try object.take("bounces").items().map { json throws(TraceMistake) in
            .boot + (try json.duration())
        }
        let outage: Int = try object.take("outage").number()
        let earliest = try object.takeIfThere("earliest")?.duration()
        let healthy = try object.takeIfThere("healthy")?.duration()
        let useless: Int = try object.take("useless").number()
        self.init(
            bounces: bounces, bouncesInOutage: outage, earliest: earliest.map { .boot + $0 },
            healthySince: healthy.map { .boot + $0 }, useless: useless,
            network: try object.takeIfThere("network").map(Network.init(traceJSON:)))
        try object.end()
    }
}

extension Network {
    /// Also beside others in one object.
    var members: [(String, JSONText?)] {
        [
            ("ssid", ssid.map { .hexadecimal($0.bytes) }), ("family", family.map { .string($0.description) }),
            ("routers", .array(routers.map(\.traceJSON))),
        ]
    }

    init(taking object: inout TraceObject) throws(TraceMistake) {
        let ssid = try object.takeIfThere("ssid")?.bytes()
        let family = try object.takeIfThere("family")?.family()
        let routers = try object.take("routers").items().map(Router.init(traceJSON:))
        self.init(ssid: ssid.map { SSID($0) }, family: family, routers: routers)
    }

    fileprivate init(traceJSON json: JSONText) throws(TraceMistake) {
        var object = try TraceObject(json)
        try self.init(taking: &object)
        try object.end()
    }
}

extension JSONText {
    fileprivate func family() throws(TraceMistake) -> BSSIDFamily {
        guard let family = BSSIDFamily(try text()) else { throw .not("a family of access points") }
        return family
    }
}

extension Network.Router {
    fileprivate var traceJSON: JSONText {
        .members([("address", address.traceJSON), ("mac", macAddress?.traceJSON)])
    }

    fileprivate init(traceJSON json: JSONText) throws(TraceMistake) {
        var object = try TraceObject(json)
        self.init(
            address: try IPAddress(traceJSON: object.take("address")),
            macAddress: try object.takeIfThere("mac").map(MACAddress.init(traceJSON:)))
        try object.end()
    }
}
