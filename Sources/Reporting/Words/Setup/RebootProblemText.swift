import Model

/// What would keep the service from rebooting the machine, as text for people.
extension RebootProblem {
    /// The name of the finding in JSON.
    var name: String {
        switch self {
        case .noLogind: "reboot-logind"
        case .noPolkit, .notPermitted: "reboot-permission"
        case .inhibited: "reboot-inhibited"
        case .recordDamaged, .recordUnreadable, .recordVolatile: "reboot-record"
        case .limit: "reboot-limit"
        case .neverWorked: "reboot-network"
        case .uplink: "reboot-uplink"
        case .notVerified: "reboot-settle"
        case .laterThan: "reboot-after"
        }
    }

    /// What is wrong, as a clause.
    var reason: String {
        switch self {
        case .noLogind(let error): "--method reboot cannot work: systemd-logind cannot be asked: \(error)"
        case .noPolkit(let error):
            "--method reboot cannot work: the service is not root, and polkit cannot be asked: \(error)"
        case .notPermitted:
            "--method reboot cannot work: polkit does not let the service reboot (\(Self.action))"
        case .inhibited: "--method reboot cannot work now: a program inhibits shutdown"
        case .recordDamaged(let file): "--method reboot cannot work: its record \(file) is damaged"
        case .recordUnreadable(let file, let error):
            "--method reboot cannot work: its record \(file) cannot be read: \(error)"
        case .recordVolatile(let directory):
            "--method reboot cannot work: a reboot may lose its record: \(directory) is in memory or on an overlay"
        case .limit(let rest, let reboots):
            "no reboot for another \(rest.text): this program has rebooted the machine"
                + (reboots < RebootState.most ? " within a day" : " \(reboots) times within a week")
        case .neverWorked(let ssid?):
            "no reboot yet: on this machine the link has never been healthy in the network '\(ssid)'"
        case .neverWorked(nil): "no reboot yet: on this machine the link has never been healthy"
        case .uplink(let name): "no reboot while the machine has a default route over \(name), too"
        case .notVerified:
            "no reboot: with --settle 0 the other methods are not verified, so none of them counts as failed"
        case .laterThan(let after, let methods):
            "--reboot-after \(after.text) is less than the other methods may take (\(methods.text)):"
                + " the reboot comes after them"
        }
    }

    /// What the user should do, in the imperative.
    func remedy(of link: String) -> String {
        switch self {
        case .noLogind: "run 'sudo systemctl start dbus systemd-logind', and install what is missing"
        case .noPolkit(let error): PolkitPermission.absent(error).remedy(for: "login1.reboot")
        case .notPermitted: PolkitPermission.refused.remedy(for: "login1.reboot")
        case .inhibited:
            "run 'systemd-inhibit --list --mode=block', and end that program if it should not prevent this"
        case .recordDamaged(let file): "run 'sudo rm \(file)'"
        case .recordUnreadable(let file, _): Self.remedy(ofUnreadable: file)
        case .recordVolatile: "let --state-dir name a directory on a disk, or take reboot out of --method"
        case .limit(_, let reboots):
            reboots < RebootState.most
                ? "none: the service reboots at most once a day"
                : "run 'sudo wifi-toggler history \(link)' to see whether reboots help at all"
        case .neverWorked:
            "run 'sudo wifi-toggler probe \(link)', and let the service find the link healthy once"
        case .uplink(let name): "none, if this is intended: a reboot would cut off those who use \(name)"
        case .notVerified: "set --settle to more than 0"
        case .laterThan(_, let methods): "set --reboot-after to \(methods.text) or more"
        }
    }

    /// What the user should do about a record of reboots that cannot be read, in the imperative.
    public static func remedy(ofUnreadable file: String) -> String {
        "run 'ls -ld \(file)': it must be a file of the service's user; if not, remove it"
    }

    private static let action = "org.freedesktop.login1.reboot"
}

extension PolkitPermission {
    /// Why the service may not do something, as a clause.
    func obstacle(to action: String) -> String {
        if case .absent(let error) = self {
            return "wifi-toggler is not root, and polkit cannot be asked: \(error)"
        }
        return "polkit does not permit that (\(action))"
    }

    /// How the service gets the permission.
    /// - Parameter action: the last words of the name of polkit's action.
    func remedy(for action: String) -> String {
        if case .absent = self {
            return "install polkit (polkitd), or give the service the drop-in root.conf"
        }
        return "run 'sudo grep -rs \(action) /etc/polkit-1 /usr/share/polkit-1/rules.d', put the rule"
            + " 60-wifi-toggler.rules there, and remove earlier rules that refuse this"
    }
}
