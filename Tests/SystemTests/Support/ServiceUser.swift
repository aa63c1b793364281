import Foundation
import Glibc

/// The service's own user, as the shipped unit has it: with CAP_NET_ADMIN alone, and the directories its own.
/// Programs see a /etc/passwd of the test's that names the user.
struct ServiceUser {
    /// No user of this machine has this number.
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

    /// The words before a command line that start it as root, who knows the account.
    var asRoot: [String] {
        ["unshare", "--mount", "sh", "-c", "mount --bind \(accounts) /etc/passwd && exec \"$@\"", "sh"]
    }

    /// The words before a command line that start it with the user and the capabilities of the service.
    var asService: [String] { asRoot + privileges("-all,+net_admin") }
    /// The same with the drop-in echo.conf.
    var asServiceWithRawSockets: [String] { asRoot + privileges("-all,+net_admin,+net_raw") }
    /// The same user as one who asks about the service: it sees in which network namespace other processes are, so
    /// that services of other tests are none of its own.
    var asObserver: [String] { asRoot + privileges("-all,+net_admin,+sys_ptrace") }
    /// The same with the drop-in echo.conf.
    var asObserverWithRawSockets: [String] { asRoot + privileges("-all,+net_admin,+net_raw,+sys_ptrace") }
    /// What comes before a program of the same user without a capability.
    var asAnybody: [String] { asRoot + privileges("-all") }

    private func privileges(_ set: String) -> [String] {
        [
            "setpriv", "--reuid=\(Self.number)", "--regid=\(Self.number)", "--clear-groups",
            "--inh-caps=\(set)", "--ambient-caps=\(set)", "--bounding-set=\(set)",
        ]
    }
}
