import Model

extension RemedyRow {
    /// The kind of fault, such as `association or address: the owner has given up`.
    public var fault: String {
        switch evidence {
        case .interfaceLost: "radio: the device has lost its interface"
        case .radioRefuses: "association: the radio refuses to work, or has crashed"
        case .gaveUp: "association or address: the owner has given up"
        case .deadOrHung: "association or address: the owner is dead or hangs"
        case .lostDevices: "association or address: iwd has lost its devices"
        case .toldToDisconnect: "association or address: a user told the owner to disconnect"
        case .noCondition: "association or address: no such evidence"
        case .leftByDeadOwner:
            "association (this machine left the network): the owner is dead, hangs or has no devices"
        case .left: "association (this machine left the network): no such evidence"
        case .resolverFails: "dns: only systemd-resolved fails"
        case .notExamined: "any other layer that --bounce-on names"
        case .notRaised: "the kernel does not raise the link after a bounce"
        }
    }

    /// Why these methods, in this order, as a clause.
    public var reason: String {
        switch evidence {
        case .interfaceLost: "only the device's driver can make the interface again"
        case .radioRefuses: "such a radio still refuses to work after a bounce"
        case .gaveUp: "the owner tries again after a request, but not after a bounce"
        case .deadOrHung: "the owner answers no request, and a bounce does not change that"
        case .lostDevices: "iwd looks for its devices when it starts"
        case .toldToDisconnect: "this is the user's wish"
        case .noCondition: "after a bounce the owner joins again, or asks for an address again"
        case .leftByDeadOwner: "when an owner dies, the station leaves the network as on a user's order"
        case .left: "a user may have disconnected the station"
        case .resolverFails: "the link works, and the other name servers answer over it"
        case .notExamined: "a bounce sets up the whole connection again"
        case .notRaised: "the driver or the firmware of the device fails"
        }
    }

    /// The whole table for an interface, one line for each row.
    /// - Parameter rule: the rule about the driver of the interface; nil: there is none.
    public static func lines(for interface: String, under rule: DriverRule?) -> [String] {
        let forbidden = rule?.forbiddenMethods.map(\.rawValue).joined(separator: ", ") ?? ""
        let exception = rule.map { forbidden.isEmpty ? "" : " (a rule in \($0.file) forbids \(forbidden))" }
        let head = "\(interface): what --method auto tries, by the layer and the evidence"
        return ["\(head)\(exception ?? ""):"]
            + table.map { row in
                let permitted = row.methods.filter { rule?.permits($0) != false }
                let isForbidden = permitted.isEmpty && !row.methods.isEmpty
                let methods = permitted.map(\.rawValue).joined(separator: ", then ")
                return "  \(row.fault): \(permitted.isEmpty ? "nothing" : methods)"
                    + " (\(isForbidden ? "the rule forbids it" : row.reason))"
            }
    }
}
