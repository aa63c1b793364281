import Model
import Platform

/// Where a machine keeps the name servers of its links: whoever configured the link left them in one of these
/// places. They are read here and not by the helper: some are root's alone, and what they say is this
/// machine's.
public struct DNSServerFiles {
    private enum Place: Sendable {
        /// One file.
        case file(String, [DNSServers.Format])
        /// All files of a directory that are called by the interface, or by it, a dot and who configured it.
        case directory(String)
    }

    private let root: String

    /// - Parameter root: of the file system, without a stroke at its end.
    public init(root: String = "") { self.root = root }

    /// Whether anybody has noted name servers for this link itself; what is noted for the machine as a whole
    /// may be another link's.
    /// - Parameter interface: its name.
    public func haveOwn(of interface: String, _ index: InterfaceIndex) -> Bool {
        !servers(of: Device(index: index, name: interface), in: Self.placesOfLinks(index)).isEmpty
    }

    /// The servers of the first place that has any. None: nobody knows whom this link should ask.
    func servers(of device: Device) -> [IPAddress] {
        servers(of: device, in: Self.placesOfLinks(device.index) + Self.placesOfMachine)
    }

    private func servers(of device: Device, in places: [Place]) -> [IPAddress] {
        for place in places {
            let servers =
                switch place {
                case .file(let path, let formats): read(root + path, formats, device)
                case .directory(let path): readAll(below: root + path, device)
                }
            if !servers.isEmpty { return servers }
        }
        return []
    }

    private static func placesOfLinks(_ index: InterfaceIndex) -> [Place] {
        let number = index.rawValue
        return [
            // systemd-resolved, with what NetworkManager and resolvectl(1) told it.
            .file("/run/systemd/resolve/netif/\(number)", [.assignment(key: "SERVERS")]),
            .file("/run/systemd/netif/links/\(number)", [.assignment(key: "DNS")]),
            .file(
                "/run/NetworkManager/devices/\(number)",
                [
                    .keyFile(group: "dhcp4", key: "domain_name_servers"),
                    .keyFile(group: "dhcp6", key: "dhcp6_name_servers"),
                ]),
            // resolvconf(8) of Debian, and openresolv's.
            .directory("/run/resolvconf/interface"),
            .directory("/run/resolvconf/interfaces"),
            .directory("/run/dhcpcd/hook-state/resolv.conf"),
        ]
    }

    /// A server in these may be another link's.
    private static let placesOfMachine: [Place] = [
        .file("/etc/resolv.conf", [.resolverConfiguration]),
        // Where that names systemd-resolved alone.
        .file("/run/systemd/resolve/resolv.conf", [.resolverConfiguration]),
    ]

    private func read(_ path: String, _ formats: [DNSServers.Format], _ device: Device) -> [IPAddress] {
        guard let text = try? TextFile.read(path) else { return [] }
        let servers = formats.flatMap { DNSServers(device: device).parse(text, as: $0) }
        return Array(servers.prefix(DNSServers.maximum))
    }

    private func readAll(below directory: String, _ device: Device) -> [IPAddress] {
        let names = DirectoryListing.of(directory, atMost: Self.mostNames).filter {
            Self.isOf(device.name, $0)
        }
        .sorted()
        let servers = names.flatMap { read("\(directory)/\($0)", [.resolverConfiguration], device) }
        return Array(servers.prefix(DNSServers.maximum))
    }

    /// `wlan0` and `wlan0.dhclient`, but not `wlan0.5` and what belongs to that: a VLAN on top of it.
    static func isOf(_ interface: String, _ name: String) -> Bool {
        guard name.hasPrefix(interface) else { return false }
        let rest = name.dropFirst(interface.count)
        return rest.isEmpty || rest.first == "." && !(rest.dropFirst().first?.isNumber ?? true)
    }

    /// A directory with more is none of these.
    private static let mostNames = 256
}
