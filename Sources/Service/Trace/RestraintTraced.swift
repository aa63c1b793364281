import Toggling

// What earlier runs have left, in a trace.

nonisolated extension RestraintMemory {
    var traced: JSONText {
        .members([
            ("bounces", .array(bounces.map { .span($0 - .boot) })), ("outage", .number(bouncesInOutage)),
            ("earliest", earliest.map { .span($0 - .boot) }),
            ("healthy", healthySince.map { .span($0 - .boot) }), ("useless", .number(useless)),
            ("network", network.map { .members($0.members) }),
        ])
    }

    init(traced json: JSONText) throws(TraceMistake) {
        var object = try TraceObject(json)
        let bounces = try object.take("bounces").items().map { json throws(TraceMistake) in
            .boot + (try json.span())
        }
        let outage: Int = try object.take("outage").number()
        let earliest = try object.takeIfThere("earliest")?.span()
        let healthy = try object.takeIfThere("healthy")?.span()
        let useless: Int = try object.take("useless").number()
        self.init(
            bounces: bounces, bouncesInOutage: outage, earliest: earliest.map { .boot + $0 },
            healthySince: healthy.map { .boot + $0 }, useless: useless,
            network: try object.takeIfThere("network").map(Network.init(traced:)))
        try object.end()
    }
}

nonisolated extension Network {
    /// Also beside others in one object.
    var members: [(String, JSONText?)] {
        [
            ("ssid", ssid.map { .hexadecimal($0.bytes) }), ("family", family.map { .string($0.description) }),
            ("routers", .array(routers.map(\.traced))),
        ]
    }

    init(taking object: inout TraceObject) throws(TraceMistake) {
        let ssid = try object.takeIfThere("ssid")?.octets()
        let family = try object.takeIfThere("family")?.family()
        let routers = try object.take("routers").items().map(Router.init(traced:))
        self.init(ssid: ssid.map { SSID($0) }, family: family, routers: routers)
    }

    fileprivate init(traced json: JSONText) throws(TraceMistake) {
        var object = try TraceObject(json)
        try self.init(taking: &object)
        try object.end()
    }
}

nonisolated extension JSONText {
    fileprivate func family() throws(TraceMistake) -> BSSIDFamily {
        guard let family = BSSIDFamily(try text()) else { throw .not("a family of access points") }
        return family
    }
}

nonisolated extension Network.Router {
    fileprivate var traced: JSONText {
        .members([("address", address.traced), ("mac", macAddress?.traced)])
    }

    fileprivate init(traced json: JSONText) throws(TraceMistake) {
        var object = try TraceObject(json)
        self.init(
            address: try IPAddress(traced: object.take("address")),
            macAddress: try object.takeIfThere("mac").map(MACAddress.init(traced:)))
        try object.end()
    }
}
