import Model
import Platform

/// Reads the files in which network managers and resolvers store the name servers of each link. The helper
/// does not read them itself, because some of them are readable by root only.
public struct DNSServerFiles {
    private enum Place: Sendable {
        /// A single file, and its formats.
        case file(String, [DNSServers.Format])
        /// All files in a directory that are named after the interface: its name alone, or with a dot and the
        /// name of a program.
        case directory(String)
    }

    private let root: String
    /// Whether this machine itself has an address. Tests replace this.
    var isOwn: (IPAddress, Device) -> Bool = { $1.isOwn($0) }

    /// - Parameter root: the root of the file system, without a slash at its end.
    public init(root: String = "") { self.root = root }

    /// Whether this link has name servers of its own, perhaps at an address of this machine. Those for the
    /// whole machine do not count, because they may belong to another link.
    /// - Parameter interface: the name of the interface.
    public func haveOwn(of interface: String, _ index: InterfaceIndex) -> Bool {
        !servers(of: Device(index: index, name: interface), in: Self.placesOfLinks(index)).isEmpty
    }

    /// The name servers of an interface, from the first place that has any, but none on this machine, even if
    /// a router announces it: the answers of such a server prove nothing about the link. Empty if it is
    /// unknown which servers the link should use.
    func servers(of device: Device) -> [IPAddress] {
        servers(of: device, in: Self.placesOfLinks(device.index) + Self.placesOfMachine)
            .filter { !isOwn($0, device) }
    }

    /// The name servers that systemd-resolved uses, without loopback addresses, and without those that have
    /// the scope of another link. They show whether systemd-resolved works, so other servers on this machine
    /// count, too.
    func serversOfResolver(for device: Device) -> [IPAddress] {
        read(root + Self.fileOfResolver, [.resolverConfiguration], device)
    }

    /// The address at which programs of this machine ask systemd-resolved; nil: they do not ask it.
    public var resolver: IPAddress? {
        let text = (try? SmallFile.text("\(root)/etc/resolv.conf")) ?? ""
        return DNSServers.words(text, .resolverConfiguration).lazy.compactMap { IPAddress(String($0)) }
            .first(where: \.isOfResolver)
    }

    private func servers(of device: Device, in places: [Place]) -> [IPAddress] {
        for place in places {
            let servers =
                switch place {
                case .file(let path, let formats): read(root + path, formats, device)
                case .directory(let path): readAll(below: root + path, device)
                }
            // The servers of a later place may belong to another link.
            if !servers.isEmpty { return servers }
        }
        return []
    }

    private static func placesOfLinks(_ index: InterfaceIndex) -> [Place] {
        let number = index.rawValue
        return [
            // The file of systemd-resolved includes servers that NetworkManager or resolvectl(1) has set.
            .file("/run/systemd/resolve/netif/\(number)", [.assignment(key: "SERVERS")]),
            .file("/run/systemd/netif/links/\(number)", [.assignment(key: "DNS")]),
            .file(
                "/run/NetworkManager/devices/\(number)",
                [
                    .keyFile(group: "dhcp4", key: "domain_name_servers"),
                    .keyFile(group: "dhcp6", key: "dhcp6_name_servers"),
                ]),
            // These are directories of Debian's resolvconf(8), openresolv and dhcpcd.
            .directory("/run/resolvconf/interface"),
            .directory("/run/resolvconf/interfaces"),
            .directory("/run/dhcpcd/hook-state/resolv.conf"),
        ]
    }

    /// The files for the whole machine. A server in them may belong to another link.
    private static let placesOfMachine: [Place] = [
        .file("/etc/resolv.conf", [.resolverConfiguration]),
        // This file has the real servers if /etc/resolv.conf names only systemd-resolved.
        .file(fileOfResolver, [.resolverConfiguration]),
    ]
    private static let fileOfResolver = "/run/systemd/resolve/resolv.conf"

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

    /// Whether a file belongs to an interface: `wlan0` and `wlan0.dhclient` do, but not `wlan0.5`, which
    /// belongs to a VLAN on top of it.
    static func isOf(_ interface: String, _ name: String) -> Bool {
        guard name.hasPrefix(interface) else { return false }
        let rest = name.dropFirst(interface.count)
        return rest.isEmpty || rest.first == "." && !(rest.dropFirst().first?.isNumber ?? true)
    }

    /// The most names that are read in a directory.
    private static let mostNames = 256
}
