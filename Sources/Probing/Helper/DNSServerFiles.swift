import Model
import Platform

/// The files in which network managers and resolvers keep the name servers of each link. They are read here
/// and not by the helper: only root can read some of them, and they are this machine's own data.
public struct DNSServerFiles {
    private enum Place: Sendable {
        /// One file.
        case file(String, [DNSServers.Format])
        /// All files of a directory that are named after the interface, or after it, a dot and a program.
        case directory(String)
    }

    private let root: String

    /// - Parameter root: of the file system, without a slash at its end.
    public init(root: String = "") { self.root = root }

    /// Whether there are name servers for this link itself; those for the whole machine may be another
    /// link's.
    /// - Parameter interface: its name.
    public func haveOwn(of interface: String, _ index: InterfaceIndex) -> Bool {
        !servers(of: Device(index: index, name: interface), in: Self.placesOfLinks(index)).isEmpty
    }

    /// The servers from the first place that has any. Empty: it is unknown which servers this link should
    /// use.
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

    /// A server in these may belong to another link.
    private static let placesOfMachine: [Place] = [
        .file("/etc/resolv.conf", [.resolverConfiguration]),
        // If that names systemd-resolved alone.
        .file("/run/systemd/resolve/resolv.conf", [.resolverConfiguration]),
    ]

    private func read(_ path: String, _ formats: [DNSServers.Format], _ device: Device) -> [IPAddress] {
        guard let text = try? SmallFile.text(path) else { return [] }
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

    /// `wlan0` and `wlan0.dhclient`, but not `wlan0.5` and its files: a VLAN on top of it.
    static func isOf(_ interface: String, _ name: String) -> Bool {
        guard name.hasPrefix(interface) else { return false }
        let rest = name.dropFirst(interface.count)
        return rest.isEmpty || rest.first == "." && !(rest.dropFirst().first?.isNumber ?? true)
    }

    /// A directory with more names is not one of these.
    private static let mostNames = 256
}
