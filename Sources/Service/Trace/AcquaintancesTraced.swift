import Toggling

// Who had answered where, in a trace.

nonisolated extension Acquaintances {
    var traced: JSONText { .array(entries.map(\.traced)) }

    init(traced json: JSONText) throws(TraceMistake) {
        self.init(try json.items().map(Entry.init(traced:)))
    }
}

nonisolated extension Acquaintances.Entry {
    var traced: JSONText {
        .members([
            ("ssid", network.ssid.map { .hexadecimal($0.bytes) }),
            ("family", network.family.map { .string($0.description) }),
            ("routers", .array(network.routers.map(\.traced))), ("target", .string(target)),
            ("answered", .span(answered - .boot)),
        ])
    }

    init(traced json: JSONText) throws(TraceMistake) {
        var object = try TraceObject(json)
        let ssid = try object.takeIfThere("ssid")?.octets()
        let family = try object.takeIfThere("family")?.family()
        let routers = try object.take("routers").items().map(Network.Router.init(traced:))
        self.init(
            network: Network(ssid: ssid.map { SSID($0) }, family: family, routers: routers),
            target: try object.take("target").text(), answered: .boot + (try object.take("answered").span()))
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
