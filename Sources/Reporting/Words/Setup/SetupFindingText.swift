import Model

/// Findings as text for people and as JSON.
extension SetupFinding {
    /// What is said if there is no finding.
    public static let nothing = "no problem found"

    /// Three lines: what is wrong, what to do about it, and where the documents say more.
    public var lines: [String] {
        let place = interface.map { "\($0): " } ?? ""
        return ["\(severity.text): \(place)\(reason)", "    remedy: \(remedy)", "    see: \(reference.text)"]
    }

    /// The finding and its remedy as one line of the log.
    public var line: String { "\(interface.map { "\($0): " } ?? "")\(reason) (\(remedy))" }

    public var json: JSONText {
        .object([
            ("severity", .string(severity.text)),
            ("interface", .optional(interface)),
            ("finding", .string(name)),
            ("reason", .string(reason)),
            ("remedy", .string(remedy)),
            ("reference", .string(reference.text)),
        ])
    }

    /// The name of the finding in JSON.
    var name: String {
        switch kind {
        case .radioBlocked: "radio-blocked"
        case .blockStored: "block-stored"
        case .activationPolicy: "activation-policy"
        case .autoconnectRetries: "autoconnect-retries"
        case .savesPower: "power-save"
        case .disputed: "disputed"
        case .ownerUnknown: "owner-unknown"
        case .ownerCondition(let condition):
            switch condition.kind {
            case .gaveUp: "owner-gave-up"
            case .toldToDisconnect: "owner-told-to-disconnect"
            case .hung: "owner-hung"
            case .lostDevices: "owner-lost-devices"
            case .dead: "owner-dead"
            }
        case .configConflict(.delayTooLong): "hold-too-long"
        case .configConflict(.settleTooShort): "settle-too-short"
        case .configConflict(.cannotReassociate): "cannot-reassociate"
        case .configConflict(.disputed): "disputed"
        case .noDefaultRoute: "no-default-route"
        case .port: "port"
        case .foreignSource: "foreign-source"
        case .deaf: "deaf"
        case .knownDriver: "driver"
        case .forbiddenMethods: "forbidden-methods"
        case .reboot(let problem): problem.name
        case .mayNotReset: "may-not-reset"
        case .mayNotRestart: "may-not-restart"
        case .strictReversePath: "rp-filter"
        case .mayNotChangeLinks: "capability"
        case .mayNotPing: "ping-group-range"
        case .mayNotAnnounceIPv6: "announce"
        case .rival: "rival"
        case .cronRival: "cron-rival"
        case .cronBesideService: "cron-beside-service"
        case .noCountry: "no-country"
        case .clockBehind: "clock"
        case .serviceNotEnabled: "service-not-enabled"
        case .serviceMasked: "service-masked"
        case .nothingStartsUs: "not-started"
        case .directory: "directory"
        }
    }

    /// What is wrong, as a clause.
    var reason: String {
        switch kind {
        case .radioBlocked(.hard): "a switch of the machine blocks the radio (rfkill)"
        case .radioBlocked: "rfkill blocks the radio"
        case .blockStored(let file): "systemd-rfkill will block the radio at the next boot (\(file))"
        case .activationPolicy(let policy):
            "networkd sets the link up or down by itself (ActivationPolicy=\(policy))"
        case .autoconnectRetries(let number):
            "NetworkManager gives up after \(number) failed tries to connect (autoconnect-retries)"
        case .savesPower(.unknown):
            "power saving is on: it delays replies to this machine, and with some drivers they get lost"
        case .savesPower(.delays(let roundTrips)):
            "power saving is on, and delays the gateway's replies: they take \(roundTrips.text)"
        case .savesPower(.noDelays(let roundTrips)):
            "power saving is on, but has not delayed the gateway's replies so far: they take"
                + " \(roundTrips.text)"
        case .disputed(let owners): ConfigConflict.disputed(owners).text
        case .ownerUnknown: "its owner is not known, because the processes of other users cannot be seen"
        case .ownerCondition(let condition): condition.text
        case .configConflict(let configConflict): configConflict.text
        case .noDefaultRoute:
            "it has an address but no default route: nothing beyond its subnet is reached over it"
        case .port(let port): "it is a port of \(port.text)"
        case .foreignSource(let source, let gateway, let ours):
            "packets to the gateway \(gateway) have the source address \(source.address), which is outside of"
                + " the gateway's network: the kernel uses the interface's first address, and \(ours)"
                + " comes later"
        case .deaf(let last):
            "no router advertisement has come for \(last.ago.text), although the last one is valid for"
                + " \(last.lifetime.text) and the gateway answers: the link may not receive multicasts"
        case .knownDriver(let name, let fault, _, _):
            "its driver \(name.driver) on \(name.bus) "
                + (fault.map { "has a known fault: \($0)" } ?? "has a known fault")
        case .forbiddenMethods(let forbidden):
            "--method \(forbidden.methods.map(\.rawValue).joined(separator: ",")) cannot work:"
                + " the service may not write to \(forbidden.place): \(forbidden.error)"
        case .reboot(let problem): problem.reason
        case .mayNotReset(let forbidden):
            "if the radio refuses to work, or the device loses its interface, the service cannot reset the device,"
                + " because the service may not write to \(forbidden.place): \(forbidden.error)"
        case .mayNotRestart(let access):
            "if \(access.unit) hangs or fails, wifi-toggler cannot restart it: "
                + access.permission.obstacle(to: "org.freedesktop.systemd1.manage-units")
        case .strictReversePath(let uplinks):
            "rp_filter is strict, with several uplinks (\(uplinks.joined(separator: ", "))): answers that arrive over"
                + " another interface than the best route uses are dropped"
        case .mayNotChangeLinks: "this user may not lower and raise links (CAP_NET_ADMIN)"
        case .mayNotPing: "ICMP echoes are not allowed: icmp probes end as unknown"
        case .mayNotAnnounceIPv6:
            "announce is on, and IPv6 addresses are not announced: that needs a raw socket (CAP_NET_RAW)"
        case .rival(let name, let process): "\(name) (process \(process)) sets links down and up by itself"
        case .cronRival(let file, let line): "\(file):\(line): a job of cron sets links or radios down"
        case .cronBesideService(let file, let line):
            "\(file):\(line): cron starts wifi-toggler beside the service, which has locked the interfaces"
        case .noCountry:
            "no country is set: only channels and power that all countries allow (regulatory domain 00)"
        case .clockBehind(let duration):
            "the clock is \(duration.text) behind the date of this program's file: it is not set yet"
        case .serviceNotEnabled: "the service is installed, but does not start at boot"
        case .serviceMasked: "the service is masked"
        case .nothingStartsUs: "neither a service nor cron starts wifi-toggler"
        case .directory(let problem): "locks or learned data cannot be written: \(problem)"
        }
    }

    /// What the user should do, in the imperative.
    var remedy: String {
        let link = interface ?? "INTERFACE"
        return switch kind {
        case .radioBlocked(.hard): "turn the switch or key of the machine"
        case .radioBlocked: "run 'sudo rfkill unblock wlan', then 'sudo ip link set \(link) up'"
        case .blockStored: "unblock the radio, or remove the file"
        case .activationPolicy: "take ActivationPolicy= out of the .network file, or set it to up"
        case .autoconnectRetries:
            "run 'sudo nmcli connection modify PROFILE connection.autoconnect-retries 0'"
        case .savesPower(.noDelays):
            "none; if replies sometimes get lost, set power-save = off in /etc/wifi-toggler.conf"
        case .savesPower:
            "set power-save = off in /etc/wifi-toggler.conf, or tell the owner (NetworkManager:"
                + " wifi.powersave=2)"
        case .disputed, .configConflict(.disputed):
            "disable one of them, or remove the interface from the configuration of one of them"
        case .ownerUnknown: "run 'sudo wifi-toggler doctor'"
        case .ownerCondition(let condition):
            switch condition.kind {
            case .gaveUp: "run 'sudo wifi-toggler reconnect \(link)', which asks it to connect again"
            case .toldToDisconnect:
                "none, if this is intended; otherwise tell \(condition.owner.rawValue) to connect again"
            case .hung where condition.owner == .resolved, .dead where condition.owner == .resolved:
                "run 'sudo systemctl restart systemd-resolved'"
            // A one-shot restarts the owner only if an earlier run has found the link healthy.
            case .lostDevices: "run 'sudo systemctl restart \(condition.owner.rawValue)'"
            case .hung, .dead:
                "run 'sudo wifi-toggler reconnect \(link)', which restarts it if the link is sick"
            }
        case .configConflict(.delayTooLong(_, _, let longest)): "set --delay to \(longest.text) or less"
        case .configConflict(.settleTooShort(_, _, let recovery)):
            "set --settle to more than \(recovery.text)"
        case .configConflict(.cannotReassociate): "take reassociate out of --method"
        case .noDefaultRoute: "run 'sudo wifi-toggler probe \(link)', and look at the owner's profile"
        case .port(let port) where port.traffic == .unknown:
            "none: only its association is checked, because it is not known which traffic passes through"
                + " it"
        case .port: "none, if this is intended; a bounce also interrupts all other traffic through it"
        case .foreignSource(let source, _, _):
            "run 'sudo ip address delete \(source.address)/\(source.prefixLength) dev \(link)', then add this"
                + " address again: it is then the interface's last one"
        case .deaf:
            "set announce = yes in /etc/wifi-toggler.conf, and check how the access point forwards"
                + " multicasts"
        case .knownDriver(_, _, let wantsPowerSaveAuto, let remedy):
            [wantsPowerSaveAuto ? "set power-save = auto in /etc/wifi-toggler.conf" : nil, remedy]
                .compactMap(\.self).joined(separator: "; ")
        case .forbiddenMethods(let forbidden) where forbidden.place == "/sys":
            "take them out of --method, or give the service the drop-in root.conf with ProtectKernelTunables=no"
        case .forbiddenMethods(let forbidden) where forbidden.methods == [.reboot]:
            "run 'systemctl cat wifi-toggler', and remove what hides \(forbidden.place), such as InaccessiblePaths="
        case .mayNotReset:
            "none, if that has never happened; else give the service the drop-in root.conf with"
                + " ProtectKernelTunables=no"
        case .mayNotRestart(let access): access.permission.remedy(for: "manage-units")
        case .forbiddenMethods: "take it out of --method, or give the service the drop-in root.conf"
        case .reboot(let problem): problem.remedy(of: link)
        case .strictReversePath:
            "set net.ipv4.conf.all.rp_filter=2 (loose) in /etc/sysctl.d, and run 'sudo sysctl --system'"
        case .mayNotChangeLinks: "run as root"
        case .mayNotPing:
            "give the service the drop-in echo.conf, or allow echoes for all users:"
                + " sudo sysctl net.ipv4.ping_group_range='0 2147483647'"
        case .mayNotAnnounceIPv6: "give the service the drop-in echo.conf, or run it as root"
        case .rival: "take the interfaces out of its configuration, or disable it"
        case .cronRival: "remove the line"
        case .cronBesideService: "remove the line, or disable the service"
        case .noCountry:
            "set it so that it survives a reboot: with raspi-config on a Raspberry Pi, country= in wpa_supplicant.conf,"
                + " Country= in iwd's main.conf, or cfg80211.ieee80211_regdom= on the kernel's command line"
        case .clockBehind: "let a time service set the clock (systemd-timesyncd, chrony)"
        case .serviceNotEnabled: "run 'sudo systemctl enable --now wifi-toggler'"
        case .serviceMasked: "if this is not intended, run 'sudo systemctl unmask wifi-toggler'"
        case .nothingStartsUs: "install the package, the unit or the cron file"
        case .directory:
            "let the service's user (root if there is no service) own the directory, and let nobody"
                + " else write to it; or name another directory with --state-dir or --run-dir"
        }
    }
}

extension SetupFinding.Severity {
    var text: String {
        switch self {
        case .note: "note"
        case .warning: "warning"
        case .error: "error"
        }
    }
}

extension GatewayRoundTrips {
    /// `6ms to 103ms, median 52ms, with a signal of -51 dBm, in 20h of checks`.
    fileprivate var text: String {
        let signal = signal.map { " with a signal of \($0) dBm," } ?? ""
        let span: Duration = .seconds(Int64(quarters) * 900)
        return "\(least.text) to \(most.text), median \(median.text),\(signal) in \(span.text) of checks"
    }
}
