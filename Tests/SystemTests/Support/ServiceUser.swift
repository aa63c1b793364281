import Foundation
import Glibc

/// The service's own user, as in the shipped unit: it has only CAP_NET_ADMIN, and owns the service's
/// directories. Programs see an /etc/passwd of the test that names the user.
struct ServiceUser {
    /// A user ID that no user of this machine has.
    static let number: uid_t = 64_613
    private static let name = "wifi-toggler"
    private let accounts: String

    init(_ link: VirtualLink) throws {
        accounts = link.directory.path + "/passwd"
        let others = try String(contentsOfFile: "/etc/passwd", encoding: .utf8).split(separator: "\n")
            .filter { !$0.hasPrefix(Self.name + ":") }
        let line = "\(Self.name):x:\(Self.number):\(Self.number)::/:/bin/false"
        try Data((others + [Substring(line), ""]).joined(separator: "\n").utf8).write(
            to: URL(fileURLWithPath: accounts))
        for place in [link.directory.path, link.configuration.path, accounts] { chmod(place, 0o755) }
        for place in [link.runDirectory.path, link.directory.path + "/state"] {
            mkdir(place, 0o755)
            chown(place, Self.number, Self.number)
        }
    }

    /// The words before a command that is to run as root, and to see the account in /etc/passwd.
    var asRoot: [String] {
        ["unshare", "--mount", "sh", "-c", "mount --bind \(accounts) /etc/passwd && exec \"$@\"", "sh"]
    }

    /// The words before a command that is to run with the user and the capabilities of the service.
    var asService: [String] { asRoot + privileges("-all,+net_admin") }
    /// Like `asService`, with the capability that the drop-in echo.conf adds.
    var asServiceWithRawSockets: [String] { asRoot + privileges("-all,+net_admin,+net_raw") }
    /// The same user for a command that asks about the service. It can see the network namespaces of other
    /// processes, and so does not take the services of other tests for its own.
    var asObserver: [String] { asRoot + privileges("-all,+net_admin,+sys_ptrace") }
    /// Like `asObserver`, with the capability that the drop-in echo.conf adds.
    var asObserverWithRawSockets: [String] { asRoot + privileges("-all,+net_admin,+net_raw,+sys_ptrace") }
    /// The words before a command that is to run as the same user without a capability.
    var asAnybody: [String] { asRoot + privileges("-all") }

    private func privileges(_ set: String) -> [String] {
        [
            "setpriv", "--reuid=\(Self.number)", "--regid=\(Self.number)", "--clear-groups",
            "--inh-caps=\(set)", "--ambient-caps=\(set)", "--bounding-set=\(set)",
        ]
    }
}
