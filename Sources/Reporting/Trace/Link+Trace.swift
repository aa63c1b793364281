import Model
import Toggling

// Links and addresses in a trace.

extension Link {
    var traceJSON: JSONText {
        .members([
            ("index", .number(index.rawValue)), ("name", .string(name)), ("mac", macAddress?.traceJSON),
            ("permanent", permanentAddress?.traceJSON), ("up", .bool(isUp)), ("carrier", .bool(hasCarrier)),
            ("operational", .word(operationalState)), ("counters", counters?.traceJSON),
        ])
    }

    init(traceJSON json: JSONText) throws(TraceMistake) {
        var object = try TraceObject(json)
        self.init(
            index: InterfaceIndex(rawValue: try object.take("index").number()),
            name: try object.take("name").text(),
            macAddress: try object.takeIfThere("mac").map(MACAddress.init(traceJSON:)),
            permanentAddress: try object.takeIfThere("permanent").map(MACAddress.init(traceJSON:)),
            isUp: try object.take("up").flag(), hasCarrier: try object.take("carrier").flag(),
            operationalState: try object.take("operational").word("an operational state"),
            counters: try object.takeIfThere("counters").map(LinkCounters.init(traceJSON:)))
        try object.end()
    }
}

extension LinkCounters {
    /// Packets received and sent, bytes received and sent.
    var traceJSON: JSONText {
        .array([receivedPackets, sentPackets, receivedBytes, sentBytes].map(JSONText.wide))
    }

    init(traceJSON json: JSONText) throws(TraceMistake) {
        let counts = try json.items()
        guard counts.count == 4 else { throw .not("four counters") }
        self.init(
            receivedPackets: try counts[0].wide(), sentPackets: try counts[1].wide(),
            receivedBytes: try counts[2].wide(), sentBytes: try counts[3].wide())
    }
}

extension MACAddress {
    var traceJSON: JSONText { .string(description) }

    init(traceJSON json: JSONText) throws(TraceMistake) {
        guard let address = MACAddress(canonical: try json.text()) else { throw .not("a hardware address") }
        self = address
    }
}

extension IPAddress {
    var traceJSON: JSONText { .string(description) }

    init(traceJSON json: JSONText) throws(TraceMistake) {
        guard let address = IPAddress(try json.text()) else { throw .not("an IP address") }
        self = address
    }
}
