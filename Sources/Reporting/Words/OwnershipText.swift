import Model

/// The owners of an interface, as text.
extension Ownership.Part {
    /// The owners of this part in a few words.
    public var text: String {
        if claims.isEmpty { return isComplete ? "nobody" : "unknown" }
        return owners.map(\.rawValue).joined(separator: " + ")
    }

    var json: JSONText {
        .object([
            ("names", .array(owners.map { .string($0.rawValue) })),
            ("evidence", .array(claims.map { .string("\($0.owner.rawValue): \($0.evidence)") })),
            ("known", .bool(isComplete || !claims.isEmpty)),
            ("disputed", .bool(isDisputed)),
        ])
    }
}

extension Ownership {
    /// The owners of both parts as a clause.
    public var text: String { "associated by \(station.text), addresses and routes by \(network.text)" }

    var json: JSONText { .object([("station", station.json), ("network", network.json)]) }
}

extension ConfigConflict {
    /// A sentence about an interface, without a full stop.
    public var text: String {
        switch self {
        case .delayTooLong(let owner, let delay, let longest):
            "\(owner.rawValue) may give up on the link if it is kept down for \(delay.text)"
                + " (with this program, --delay must be at most \(longest.text))"
        case .settleTooShort(let owner, let settle, let recovery):
            "with \(owner.rawValue) a link needs up to \(recovery.text) to come back after a bounce,"
                + " more than the \(settle.text) of --settle"
        case .cannotReassociate(let owner):
            "\(owner.rawValue) associates the station, but the method reassociate only works with wpa_supplicant"
        case .disputed(let owners):
            Self.description(of: owners)
        }
    }

    private static func description(of owners: [Owner]) -> String {
        let names = owners.map(\.rawValue)
        guard names.count > 1 else {
            return "two processes of \(names.joined()) manage it (end one of the two)"
        }
        return
            names.joined(separator: " and ")
            + " manage it at the same time, and disturb each other (leave it to one of them)"
    }
}
