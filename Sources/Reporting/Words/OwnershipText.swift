import Model

/// The owners of an interface, as text.
extension Ownership.Part {
    /// A word or a few.
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
    /// As a clause.
    public var text: String { "associated by \(station.text), addresses and routes by \(network.text)" }

    var json: JSONText { .object([("station", station.json), ("network", network.json)]) }
}

extension ConfigConflict {
    /// A sentence without a full stop, whose subject is an interface.
    public var text: String {
        switch self {
        case .holdTooLong(let owner, let delay, let longest):
            "\(owner.rawValue) may give the link up when it is held down for \(delay.text)"
                + " (--delay: \(longest.text) at most beside it)"
        case .settleTooShort(let owner, let settle, let recovery):
            "beside \(owner.rawValue) a bounce takes up to \(recovery.text) to come back,"
                + " and after \(settle.text) it is called useless (--settle)"
        case .cannotReassociate(let owner):
            "\(owner.rawValue) associates the station, and the method reassociate asks wpa_supplicant alone"
        case .disputed(let owners):
            Self.sentence(of: owners)
        }
    }

    private static func sentence(of owners: [Owner]) -> String {
        let names = owners.map(\.rawValue)
        guard names.count > 1 else { return "\(names.joined()) manages it twice (end one of the two)" }
        return "\(names.joined(separator: " and ")) manage it against each other (leave it to one of them)"
    }
}
