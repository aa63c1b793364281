import Model

/// The line that a service logs at its start if the user named no interface: which of the existing interfaces
/// it watches, which it does not watch, and why.
public struct SelectionText {
    /// The most interfaces without Wi-Fi that are listed: a container host has hundreds.
    private static let mostNamed = 6

    private let interfaces: [(link: Link, wireless: Wireless?)]

    public init(_ interfaces: [(link: Link, wireless: Wireless?)]) {
        self.interfaces = interfaces.sorted { $0.link.name < $1.link.name }
    }

    /// The sentence that tells which interfaces are watched, which are not, and why.
    public var description: String {
        let left = otherRoles + [strangers].compactMap(\.self)
        return "no interface is named; watching "
            + (stations.isEmpty ? "none" : stations.joined(separator: ", "))
            + (left.isEmpty ? "" : "; leaving out " + left.joined(separator: ", "))
    }

    private var stations: [String] {
        interfaces.filter { $0.wireless?.role == .station }.map { interface in
            let master = interface.link.port.flatMap { port in
                interfaces.first { $0.link.index == port.master }?.link.name
            }
            return interface.link.name + (master.map { " (a port of \($0))" } ?? "")
        }
    }

    private var otherRoles: [String] {
        interfaces.compactMap { interface in
            guard let role = interface.wireless?.role, role != .station else { return nil }
            return "\(interface.link.name) (\(role.text), not a station)"
        }
    }

    private var strangers: String? {
        let names = interfaces.filter { $0.wireless == nil }.map(\.link.name)
        guard !names.isEmpty else { return nil }
        let more = names.count - Self.mostNamed
        let named = names.prefix(Self.mostNamed).joined(separator: ", ")
        return named + (more > 0 ? " and \(more) more" : "") + " (not Wi-Fi)"
    }
}
