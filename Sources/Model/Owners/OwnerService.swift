/// How an owner runs as a system service, and how it can be asked whether it still answers.
extension Owner {
    /// The owner's well-known name on the system bus (D-Bus); nil: it has none, or is not asked there.
    public var busName: String? {
        switch self {
        case .networkManager: "org.freedesktop.NetworkManager"
        case .networkd: "org.freedesktop.network1"
        case .connman: "net.connman"
        case .iwd: "net.connman.iwd"
        case .supplicant: "fi.w1.wpa_supplicant1"
        // Silence on the bus is not enough evidence for a restart of systemd-resolved.
        case .resolved: nil
        case .dhclient, .dhcpcd, .udhcpc, .ifupdown: nil
        }
    }

    /// The systemd units that start the owner for an interface, on Debian and most other distributions. The
    /// unit for this interface alone comes first.
    public func units(for interface: String) -> [String] {
        switch self {
        case .networkManager: ["NetworkManager.service"]
        case .networkd: ["systemd-networkd.service"]
        case .connman: ["connman.service"]
        case .iwd: ["iwd.service"]
        case .supplicant:
            [
                "wpa_supplicant-nl80211@\(SystemdUnit.escaped(interface)).service",
                Self.netplanUnit(for: interface),
            ] + Self.units("wpa_supplicant", for: interface)
        case .dhcpcd: Self.units("dhcpcd", for: interface)
        case .resolved: ["systemd-resolved.service"]
        case .ifupdown: [Self.ifupUnit(for: interface)]
        case .dhclient, .udhcpc: []
        }
    }

    /// The unit in which netplan starts wpa_supplicant for systemd-networkd (netplan's src/networkd.c).
    private static func netplanUnit(for interface: String) -> String {
        "\(netplanPrefix)\(SystemdUnit.escaped(interface)).service"
    }

    private static let netplanPrefix = "netplan-wpa-"

    /// Whether the unit runs a program for one interface alone: an instance of a template (systemd.unit(5)),
    /// such as wpa_supplicant@wlan0.service, or the unit of netplan.
    package static func isOfOneInterface(unit: String) -> Bool {
        unit.contains("@") || unit.hasPrefix(netplanPrefix)
    }

    /// The unit in which ifupdown configures this interface alone, when the interface appears (allow-hotplug,
    /// interfaces(5)). The programs that ifupdown starts then run in this unit. networking.service does the
    /// same for all other interfaces together.
    package static func ifupUnit(for interface: String) -> String {
        "ifup@\(SystemdUnit.escaped(interface)).service"
    }

    /// The units that may be restarted if the owner's process runs in one of them.
    package func hosts(for interface: String) -> [String] {
        units(for: interface) + (Self.ifupdown.employs.contains(self) ? [Self.ifupUnit(for: interface)] : [])
    }

    /// The services that start the owner for an interface on distributions without systemd (Alpine, Void,
    /// OpenWrt and others). The service for this interface alone comes first.
    public func services(for interface: String) -> [String] {
        switch self {
        case .networkManager: ["NetworkManager", "networkmanager"]
        // These are parts of systemd.
        case .networkd, .resolved: []
        case .connman: ["connman", "connmand"]
        case .iwd: ["iwd"]
        case .supplicant: Self.services("wpa_supplicant", for: interface) + ["wpad"]
        case .dhcpcd: Self.services("dhcpcd", for: interface)
        case .dhclient, .udhcpc, .ifupdown: []
        }
    }

    /// The names to try. OpenRC separates the instance's name by a dot (openrc-run(8)). With runit, the
    /// administrator chooses the name of a service; a name with a hyphen is likely.
    private static func services(_ name: String, for interface: String) -> [String] {
        // Other characters are rejected, because the name becomes a part of a path.
        let isPlain = interface.utf8.allSatisfy {
            $0.isASCIILetter || $0.isASCIIDigit || "_-".utf8.contains($0)
        }
        return (isPlain ? ["\(name).\(interface)", "\(name)-\(interface)"] : []) + [name]
    }

    private static func units(_ name: String, for interface: String) -> [String] {
        ["\(name)@\(SystemdUnit.escaped(interface)).service", "\(name).service"]
    }
}

extension Ownership {
    /// The owners that may have died: those whose files are left. If a part needs an owner and has none, the
    /// owners that may have left no file are included.
    public var missing: [Owner] {
        var missing = absent.filter { network.isNeeded || !$0.isDHCPClient }
        if station.isNeeded, station.claims.isEmpty { missing += [.supplicant, .iwd, .connman] }
        if network.isNeeded, network.claims.isEmpty { missing += [.connman, .dhcpcd, .ifupdown] }
        return missing.reduce(into: []) { if !owners.contains($1), !$0.contains($1) { $0.append($1) } }
    }

    /// Whether ifupdown has configured the interface, and the DHCP client that it started has ended.
    package func hasLost(_ client: Owner) -> Bool {
        client.isDHCPClient && absent.contains(client) && network.owners.contains(.ifupdown)
            && !owners.contains(client)
    }

    /// The owner whose restart makes the whole connection anew: the network manager that directs the other
    /// owners, or else the program that associates the station, or else the one that gives the addresses;
    /// nil: none is known.
    public var chief: Owner? {
        network.owners.first(where: \.managesAssociation) ?? station.owners.first ?? network.owners.first
    }
}
