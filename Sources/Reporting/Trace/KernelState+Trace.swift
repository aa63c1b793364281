import Model
import Toggling

// What the kernel knew, in a trace.

extension KernelState {
    var traceJSON: JSONText {
        .members([
            ("link", link.traceJSON), ("radio", .word(radio)), ("wireless", wireless?.traceJSON),
            ("addresses", .array(addresses.map(\.traceJSON))),
            ("gateways", .array(gateways.map(\.traceJSON))),
            ("inhibition", administrativeHold?.traceJSON), ("quiet", quietUntil.map(JSONText.instant)),
            ("logins", logins.map { .array($0.map(\.traceJSON)) }),
            ("life", liveness.map { .array($0.map(\.traceJSON)) }),
            ("power_save", savesPower.map { .bool($0) }),
        ])
    }

    init(traceJSON json: JSONText) throws(TraceMistake) {
        var object = try TraceObject(json)
        self.init(
            link: try Link(traceJSON: object.take("link")),
            radio: try object.take("radio").word("a state of rfkill"),
            wireless: try object.takeIfThere("wireless").map(Wireless.init(traceJSON:)),
            addresses: try object.take("addresses").items().map(InterfaceAddress.init(traceJSON:)),
            gateways: try object.take("gateways").items().map(Gateway.init(traceJSON:)),
            administrativeHold: try object.takeIfThere("inhibition").map(AdministrativeHold.init(traceJSON:)),
            quietUntil: try object.takeIfThere("quiet")?.instant(),
            logins: try object.takeIfThere("logins")?.items().map(Login.init(traceJSON:)),
            liveness: try object.takeIfThere("life")?.items().map(Liveness.init(traceJSON:)),
            savesPower: try object.takeIfThere("power_save")?.flag())
        try object.end()
    }
}

extension InterfaceAddress {
    var traceJSON: JSONText {
        .members([
            ("address", address.traceJSON), ("prefix", .number(prefixLength)),
            ("global", .bool(reachesBeyondLink)), ("tentative", isTentative ? .bool(true) : nil),
        ])
    }

    init(traceJSON json: JSONText) throws(TraceMistake) {
        var object = try TraceObject(json)
        self.init(
            address: try IPAddress(traceJSON: object.take("address")),
            prefixLength: try object.take("prefix").number(),
            reachesBeyondLink: try object.take("global").flag(),
            isTentative: try object.takeIfThere("tentative")?.flag() ?? false)
        try object.end()
    }
}

extension Gateway {
    var traceJSON: JSONText {
        .members([("address", address.traceJSON), ("neighbour", neighbour?.traceJSON)])
    }

    init(traceJSON json: JSONText) throws(TraceMistake) {
        var object = try TraceObject(json)
        self.init(
            address: try IPAddress(traceJSON: object.take("address")),
            neighbour: try object.takeIfThere("neighbour").map(Neighbour.init(traceJSON:)))
        try object.end()
    }
}

extension Neighbour {
    var traceJSON: JSONText {
        .members([
            ("state", .word(state)), ("mac", macAddress?.traceJSON),
            ("confirmed", confirmed.map(JSONText.duration)),
        ])
    }

    init(traceJSON json: JSONText) throws(TraceMistake) {
        var object = try TraceObject(json)
        self.init(
            state: try object.take("state").word("a state of a neighbour"),
            macAddress: try object.takeIfThere("mac").map(MACAddress.init(traceJSON:)),
            confirmed: try object.takeIfThere("confirmed")?.duration())
        try object.end()
    }
}

extension AdministrativeHold {
    private enum Kind: String { case until, untilReleased }

    var traceJSON: JSONText {
        switch self {
        case .until(let end): .tagged(Kind.until, .instant(end))
        case .untilReleased: .tagged(Kind.untilReleased)
        }
    }

    init(traceJSON json: JSONText) throws(TraceMistake) {
        let (kind, payload) = try json.tag("how long it is held", Kind.self)
        switch kind {
        case .until: self = .until(try payload.instant())
        case .untilReleased:
            try payload.nothing()
            self = .untilReleased
        }
    }
}
