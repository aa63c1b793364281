import Toggling

// What the kernel knew, in a trace.

nonisolated extension Survey {
    var traced: JSONText {
        .members([
            ("link", link.traced), ("radio", .word(radio)), ("wireless", wireless?.traced),
            ("addresses", .array(addresses.map(\.traced))), ("gateways", .array(gateways.map(\.traced))),
            ("inhibition", inhibition?.traced), ("quiet", quietUntil.map(JSONText.instant)),
            ("logins", logins.map { .array($0.map(\.traced)) }),
            ("life", life.map { .array($0.map(\.traced)) }),
            ("power_save", savesPower.map { .bool($0) }),
        ])
    }

    init(traced json: JSONText) throws(TraceMistake) {
        var object = try TraceObject(json)
        self.init(
            link: try Link(traced: object.take("link")),
            radio: try object.take("radio").word("a state of rfkill"),
            wireless: try object.takeIfThere("wireless").map(Wireless.init(traced:)),
            addresses: try object.take("addresses").items().map(InterfaceAddress.init(traced:)),
            gateways: try object.take("gateways").items().map(Gateway.init(traced:)),
            inhibition: try object.takeIfThere("inhibition").map(Inhibition.init(traced:)),
            quietUntil: try object.takeIfThere("quiet")?.instant(),
            logins: try object.takeIfThere("logins")?.items().map(Login.init(traced:)),
            life: try object.takeIfThere("life")?.items().map(SignOfLife.init(traced:)),
            savesPower: try object.takeIfThere("power_save")?.flag())
        try object.end()
    }
}

nonisolated extension InterfaceAddress {
    var traced: JSONText {
        .members([
            ("address", address.traced), ("prefix", .number(prefixLength)),
            ("global", .bool(reachesBeyondLink)), ("tentative", isTentative ? .bool(true) : nil),
        ])
    }

    init(traced json: JSONText) throws(TraceMistake) {
        var object = try TraceObject(json)
        self.init(
            address: try IPAddress(traced: object.take("address")),
            prefixLength: try object.take("prefix").number(),
            reachesBeyondLink: try object.take("global").flag(),
            isTentative: try object.takeIfThere("tentative")?.flag() ?? false)
        try object.end()
    }
}

nonisolated extension Gateway {
    var traced: JSONText { .members([("address", address.traced), ("neighbour", neighbour?.traced)]) }

    init(traced json: JSONText) throws(TraceMistake) {
        var object = try TraceObject(json)
        self.init(
            address: try IPAddress(traced: object.take("address")),
            neighbour: try object.takeIfThere("neighbour").map(Neighbour.init(traced:)))
        try object.end()
    }
}

nonisolated extension Neighbour {
    var traced: JSONText {
        .members([
            ("state", .word(state)), ("mac", macAddress?.traced), ("confirmed", confirmed.map(JSONText.span)),
        ])
    }

    init(traced json: JSONText) throws(TraceMistake) {
        var object = try TraceObject(json)
        self.init(
            state: try object.take("state").word("a state of a neighbour"),
            macAddress: try object.takeIfThere("mac").map(MACAddress.init(traced:)),
            confirmed: try object.takeIfThere("confirmed")?.span())
        try object.end()
    }
}

nonisolated extension Inhibition {
    private enum Kind: String { case until, untilReleased }

    var traced: JSONText {
        switch self {
        case .until(let end): .tagged(Kind.until, .instant(end))
        case .untilReleased: .tagged(Kind.untilReleased)
        }
    }

    init(traced json: JSONText) throws(TraceMistake) {
        let (kind, payload) = try json.tag("how long it is held", Kind.self)
        switch kind {
        case .until: self = .until(try payload.instant())
        case .untilReleased:
            try payload.nothing()
            self = .untilReleased
        }
    }
}
