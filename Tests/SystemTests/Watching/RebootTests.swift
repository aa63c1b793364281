import Foundation
import Glibc
import Testing

/// The busctl that the service uses.
private let busctl = "/usr/bin/busctl"

/// The real service reboots as its last resort. Here it cannot reboot this machine, for four reasons, each of
/// which is enough: it runs as the service's own user, and so never forces a reboot; none of its processes
/// can ever have CAP_SYS_BOOT (reboot(2)); the busctl that it finds belongs to the test; and it reaches no
/// bus, because its /run is empty. The service does not start unless all of this has been arranged.
@Suite(
    "Rebooting as the last resort", .needsRoot, .timeLimit(.minutes(20)),
    .enabled(if: access(busctl, X_OK) == 0, "needs a busctl to put another in its place"))
struct RebootTests {
    private let link: VirtualLink
    private let user: ServiceUser
    /// What the test's busctl leaves behind.
    private let result: URL

    init() throws {
        link = try VirtualLink()
        user = try ServiceUser(link)
        try link.keepDefaultRoute()
        result = link.directory.appendingPathComponent("result")
        mkdir(result.path, 0o777)
        chmod(result.path, 0o777)
    }

    private var record: URL { link.directory.appendingPathComponent("state/reboots") }

    private func text(_ file: URL) -> String { (try? String(contentsOf: file, encoding: .utf8)) ?? "" }

    /// Writes the record as the service's own user does.
    private func write(_ words: String) throws {
        try Data(words.utf8).write(to: record)
        chown(record.path, ServiceUser.number, ServiceUser.number)
        chmod(record.path, 0o600)
    }

    /// The present boot and its age in seconds, as in a record. A reboot before this boot would count as older
    /// than a day if the machine is up for so long.
    private func thisMoment() throws -> String {
        let boot = try String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
        let uptime = try String(contentsOfFile: "/proc/uptime", encoding: .utf8)
        return "\(boot.prefix(36)) \(uptime.prefix { $0 != "." })"
    }

    /// Installs a busctl that accepts the order to reboot, and then only copies the record.
    /// - Parameter end: a shell command that ends the busctl after the order.
    private func placeLogind(inhibiting inhibited: String, end: String = "exit 0") throws -> String {
        let script = """
            case "$*" in
            *" BlockInhibited") echo 's "\(inhibited)"'; echo asked >>\(result.path)/questions ;;
            *" Reboot b false") cp \(record.path) \(result.path)/part && mv \(result.path)/part \(result.path)/order; \(end) ;;
            esac
            """
        return try link.install(script, at: "busctl")
    }

    /// Starts the service in a place from which it cannot reboot this machine.
    /// - Parameter furnish: shell commands that run as root before.
    private func start(_ methods: String, _ logind: String, furnish: String = ":") throws -> Child {
        let arrange =
            "mount -t tmpfs -o mode=755 none /run && mount --bind \(logind) \(busctl) && \(furnish)"
        // CapBnd has CAP_NET_ADMIN and CAP_NET_RAW alone.
        let check = """
            cmp -s \(logind) \(busctl) && [ ! -e /run/dbus ] && [ "$(id -u)" = \(ServiceUser.number) ] \
            && grep -q '^CapBnd:.0000000000003000$' /proc/self/status && exec "$@"
            """
        let quick = [
            "--fall", "1", "--recheck", "100ms", "--probe", "icmp:\(VirtualLink.farAddress)", "--timeout",
            "200ms", "--delay", "0", "--settle", "200ms", "--grace", "0", "--interval", "500ms",
            "--backoff", "1h",
        ]
        return try link.start(
            "run", quick + ["--method", methods, "--reboot-after", "1m"],
            prefix: ["unshare", "--mount", "sh", "-c", "\(arrange) && exec \"$@\"", "sh"]
                + user.asServiceWithRawSockets + ["sh", "-c", check, "sh"])
    }

    private func see(_ words: String, from service: Child) throws {
        try eventually("'\(words)' is logged", within: .seconds(150), detail: service.transcript) {
            service.standardError.contains(words)
        }
    }

    @Test(
        "the service records a reboot on the disk and orders it from logind, unless a program inhibits shutdown",
        arguments: [false, true])
    func lastResort(isInhibited: Bool) throws {
        let logind = try placeLogind(inhibiting: isInhibited ? "sleep:shutdown" : "sleep")
        let service = try start("bounce,reboot", logind)
        try see("healthy", from: service)
        try link.muteFarEnd()
        try see("rebooting the machine, because nothing else has helped", from: service)
        let order = result.appendingPathComponent("order")
        if isInhibited {
            try see("a program inhibits shutdown", from: service)
            #expect(text(order).isEmpty)
        } else {
            try eventually("the order has come", within: .seconds(60), detail: service.transcript) {
                !text(order).isEmpty
            }
            let told = text(order)
            #expect(told.hasPrefix("wifi-toggler reboots 1\n") && told.contains("\nago "), "\(told)")
            let cause = #" \#(VirtualLink.near) {"verdict":"sick","layer":"gateway","#
            #expect(told.contains(cause), "\(told)")
        }
        #expect(text(result.appendingPathComponent("questions")) == "asked\n")
        try service.endService()
        // The reboot counts even if the service is told to end before the machine goes down.
        #expect(text(record).contains("\nago ") == !isInhibited, "\(text(record))")
    }

    /// The shell commands that mount an empty file system over the state directory.
    private func mountState(_ options: String) -> String {
        let state = record.deletingLastPathComponent().path
        return "mount \(options) none \(state) && chown \(ServiceUser.number):\(ServiceUser.number) \(state)"
            + " && chmod 700 \(state)"
    }

    @Test(
        "there is no reboot if the record of it is in memory or on an overlay, so that the reboot could undo it",
        arguments: [false, true])
    func volatileState(isOverlay: Bool) throws {
        let logind = try placeLogind(inhibiting: "")
        let layers = "mkdir /run/upper /run/work /run/lower"
        let overlay = "-t overlay -o lowerdir=/run/lower,upperdir=/run/upper,workdir=/run/work"
        let furnish = isOverlay ? "\(layers) && \(mountState(overlay))" : mountState("-t tmpfs")
        let service = try start("bounce,reboot", logind, furnish: furnish)
        try see("healthy", from: service)
        try link.muteFarEnd()
        try see("the reboot cannot be recorded (give another directory with --state-dir)", from: service)
        try service.endService()
        #expect(!service.standardError.contains("rebooting the machine"), "\(service.transcript)")
        #expect(text(result.appendingPathComponent("questions")).isEmpty, "nothing was asked of logind")
    }

    @Test("a reboot counts also if busctl is killed after the order")
    func killed() throws {
        let logind = try placeLogind(inhibiting: "", end: "kill -KILL $$")
        let service = try start("bounce,reboot", logind)
        try see("healthy", from: service)
        try link.muteFarEnd()
        try see("busctl was ended by signal 9", from: service)
        try service.endService()
        #expect(text(record).contains("\nago "), "\(text(record))")
    }

    /// A record that was written in another boot.
    private static let rebooted = """
        wifi-toggler reboots 1
        written 00000000-1111-4222-8333-444455556666 5400
        ago 12
        last 00000000-1111-4222-8333-444455556666 \(VirtualLink.near) \
        {"verdict":"sick","layer":"gateway","reason":"the gateway 10.77.0.1 does not answer"}

        """

    @Test("after a reboot the service says once whether the reboot has helped")
    func told() throws {
        let logind = try placeLogind(inhibiting: "")
        try write(Self.rebooted)
        let service = try start("bounce,reboot", logind)
        try see("the machine was rebooted because of this link: sick", from: service)
        try see("the reboot has helped", from: service)
        try service.endService()
        #expect(text(record).contains("\nago ") && !text(record).contains("\nlast "), "\(text(record))")
    }

    @Test("if the link is sick after a reboot and a bounce cures it, the reboot has not helped")
    func notHelped() throws {
        let logind = try placeLogind(inhibiting: "")
        try write(Self.rebooted)
        try link.cureFarEndByBounce()
        try link.muteFarEnd()
        let service = try start("bounce,reboot", logind)
        try see("the reboot has not helped: sick", from: service)
        // On a busy machine, the bounce may cure the link only after its settle time.
        try see("healthy: \(VirtualLink.farAddress) answered", from: service)
        try service.endService()
        #expect(!service.standardError.contains("the reboot has helped"), "\(service.transcript)")
    }

    /// Adds an interface with a carrier as the second next hop of the default route.
    private func addUplink() throws {
        try link.nearIP("link add wire0 type veth peer name wire1")
        for name in ["wire0", "wire1"] { try link.nearIP("link set \(name) up") }
        try link.nearIP("address add 10.78.0.2/24 dev wire0")
        try link.nearIP(
            "route replace default nexthop via \(VirtualLink.farAddress) dev \(VirtualLink.near)"
                + " nexthop via 10.78.0.1 dev wire0")
    }

    /// What doctor finds about a reboot while the service runs.
    private func diagnosis(_ logind: String, furnish: String = ":") throws -> String {
        let arrange =
            "mount -t tmpfs -o mode=755 none /run && mount --bind \(logind) \(busctl) && \(furnish)"
        let prefix = ["unshare", "--mount", "sh", "-c", "\(arrange) && exec \"$@\"", "sh"]
        let outcome = try link.start("doctor", ["--json"], prefix: user.asRoot + prefix).outcome()
        return outcome.standardOutput.split(separator: "\n").filter { $0.contains(#""finding":"reboot-"#) }
            .joined(separator: "\n")
    }

    @Test(
        "doctor tells before an outage what would prevent a reboot, but only if the method reboot is named"
    )
    func doctor() throws {
        try link.configure("[default]\nmethod = bounce,reboot\n")
        let inhibiting = try placeLogind(inhibiting: "sleep:shutdown")
        try write("damaged\n")
        let found = try diagnosis(inhibiting)
        for name in ["reboot-inhibited", "reboot-record", "reboot-network"] {
            #expect(
                found.contains(
                    #""severity":"warning","interface":"\#(VirtualLink.near)","finding":"\#(name)""#),
                "\(found)")
        }
        #expect(found.contains("'sudo rm \(record.path)'"), "\(found)")
        let logind = try placeLogind(inhibiting: "sleep")
        try write("wifi-toggler reboots 1\nwritten \(thisMoment())\nago 12\n")
        let day = try diagnosis(logind)
        #expect(day.contains(#""finding":"reboot-limit""#) && day.contains("reboot-network"), "\(day)")
        #expect(!day.contains("reboot-inhibited") && !day.contains("reboot-record"), "\(day)")
        #expect(!day.contains("reboot-uplink"), "\(day)")
        let inMemory = try diagnosis(logind, furnish: mountState("-t tmpfs"))
        #expect(inMemory.contains("\(record.deletingLastPathComponent().path) is in memory"), "\(inMemory)")
        try addUplink()
        let wired = try diagnosis(logind)
        #expect(wired.contains(#""finding":"reboot-uplink""#), "\(wired)")
        try link.configure("[default]\nmethod = bounce,reset\n")
        #expect(try diagnosis(logind).isEmpty)
        #expect(
            !FileManager.default.fileExists(atPath: result.appendingPathComponent("order").path),
            "nothing is ordered")
    }

    @Test("the record is read only if the method reboot is named", arguments: [true, false])
    func unneeded(isNamed: Bool) throws {
        let logind = try placeLogind(inhibiting: "")
        try write("damaged\n")
        let service = try start(isNamed ? "bounce,reboot" : "bounce", logind)
        try see("healthy", from: service)
        try service.endService()
        let isRead = service.standardError.contains("/reboots is damaged")
        #expect(isRead == isNamed, "\(service.transcript)")
    }
}
