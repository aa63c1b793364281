import Foundation
import Glibc
import Testing

/// The program runs in a mount namespace with its own /etc and its own /sys/class/net, which names a driver
/// for the near end. The device of that driver does not exist.
@Suite("Methods that the driver files forbid", .needsRoot)
struct DriverFileTests {
    private let link: VirtualLink
    private var etc: URL { link.directory.appendingPathComponent("etc") }
    private static let rule = "[labdriver platform]\n"

    init() throws {
        link = try VirtualLink(gateway: .none)
        try shell("cp -a /etc \(etc.path)")
        try shell("mkdir -p \(etc.path)/wifi-toggler")
    }

    private func write(_ text: String) throws {
        let file = etc.appendingPathComponent("wifi-toggler/drivers.conf")
        try Data(text.utf8).write(to: file)
        #expect(chmod(file.path, 0o644) == 0)
    }

    /// The words before a command that is to run in that mount namespace.
    private var inside: [String] {
        let script = """
            set -e
            mount --bind \(etc.path) /etc
            mount -t tmpfs none /sys/class/net
            mkdir -p /sys/class/net/near0/device
            ln -s ../../../../bus/platform/drivers/labdriver /sys/class/net/near0/device/driver
            touch /sys/class/net/near0/device/uevent
            mount -o remount,ro /sys/class/net
            exec "$@"
            """
        return ["sh", "-c", script, "sh"]
    }

    private func start(_ command: String, _ options: [String]) throws -> Child {
        try link.start(command, options, prefix: inside)
    }

    private static let options = ["--probe", "none", "--delay", "100ms", "--settle", "1s"]

    @Test("a forbidden bounce is refused with the reason, and the link stays as it is")
    func bounce() throws {
        try write("# first\n\(Self.rule)forbid = bounce\nsource = a/b#7\n")
        let trace = try LinkTrace(link)
        let outcome = try start("toggle", Self.options).outcome()
        #expect(outcome.status == 69, "\(outcome)")
        let words = "/etc/wifi-toggler/drivers.conf:2 forbids it for the driver labdriver on platform (a/b#7)"
        #expect(outcome.standardError.contains(words), "\(outcome)")
        #expect(try trace.isUntouched())
    }

    @Test("a service whose /sys is read-only says at its start which methods cannot work")
    func readOnly() throws {
        let methods = "bounce,rebind,reset"
        let service = try start("run", ["--probe", "none", "--interval", "1h", "--method", methods])
        let words =
            "near0: --method rebind,reset cannot work: the service may not write to /sys: Read-only file system"
        try eventually("it says so", detail: service.transcript) { service.standardError.contains(words) }
        #expect(service.standardError.components(separatedBy: words).count == 2, "once")
        service.send(SIGTERM)
        #expect(try service.outcome().status == 0)
        let quiet = try start("run", ["--probe", "none", "--interval", "1h", "--method", "bounce"])
        try eventually("it runs", detail: quiet.transcript) { quiet.standardError.contains("starting") }
        #expect(!quiet.standardError.contains("may not write"))
        quiet.send(SIGTERM)
        _ = try quiet.outcome()
    }

    @Test("list names the driver, the methods that are forbidden, and the file that says so")
    func listed() throws {
        try write("# first\n\(Self.rule)forbid = rfkill\n")
        let command = [Program.path, "list", "--any-interface", "--verbose"]
        let outcome = try Child(["ip", "netns", "exec", link.nearNamespace] + inside + command).outcome()
        #expect(outcome.status == 0, "\(outcome)")
        let place = "    driver: labdriver on platform, rule at /etc/wifi-toggler/drivers.conf:2\n"
        #expect(outcome.standardOutput.contains(place), "\(outcome)")
        #expect(outcome.standardOutput.contains("      forbidden: rfkill\n"), "\(outcome)")
    }

    @Test("the ladder goes on after a forbidden method, whether it takes the link down or not")
    func ladder() throws {
        try write("\(Self.rule)forbid = reassociate, rfkill\n")
        let methods = ["--method", "reassociate,bounce,rfkill"]
        let outcome = try start("toggle", Self.options + methods + ["--json"]).outcome()
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.objects.last?["methods"] as? [String] == ["bounce"], "\(outcome)")
        let words =
            "reassociate: /etc/wifi-toggler/drivers.conf:1 forbids it for the driver labdriver on platform; "
        #expect(outcome.standardError.contains(words), "\(outcome)")
    }

    @Test("a method of a driver without a section is tried")
    func others() throws {
        try write("[labdriver pci]\nforbid = bounce\n[lab platform]\nforbid = bounce\n")
        let outcome = try start("toggle", Self.options).outcome()
        #expect(outcome.status == 0, "\(outcome)")
    }

    @Test(
        "a mistake in the file ends with 78 and is reported with its line; repair goes on without the file")
    func mistake() throws {
        try write("\(Self.rule)forbid = bonce\n")
        let words =
            "/etc/wifi-toggler/drivers.conf:2: forbid: 'bonce' is not a known method; did you mean 'bounce'?"
        for (command, options) in [("toggle", Self.options), ("run", Self.options), ("run", ["--check"])] {
            let outcome = try start(command, options).outcome()
            #expect(outcome.status == 78, "\(command): \(outcome)")
            #expect(outcome.standardError.contains(words), "\(command): \(outcome)")
        }
        let repair = try start("repair", []).outcome()
        #expect(
            repair.status == 0 && repair.standardError.contains("repairing without the file"), "\(repair)")
    }

    @Test("a driver file that others can write is refused with status 78")
    func untrusted() throws {
        try write(Self.rule)
        #expect(chmod(etc.path + "/wifi-toggler/drivers.conf", 0o666) == 0)
        let outcome = try start("probe", ["--probe", "none"]).outcome()
        #expect(outcome.status == 78, "\(outcome)")
        #expect(
            outcome.standardError.contains("/etc/wifi-toggler/drivers.conf: somebody else could change it"),
            "\(outcome)")
    }

    @Test("doctor proposes the remedy of the driver's section, if the section has one")
    func doctor() throws {
        try write("\(Self.rule)fault = it hangs\nremedy = update the kernel\n")
        let found = try start("doctor", []).outcome()
        let words =
            "warning: near0: its driver labdriver on platform has a known fault: it hangs\n    remedy: update the kernel\n"
        #expect(found.standardOutput.contains(words), "\(found)")
        try write("\(Self.rule)fault = it hangs\n")
        let silent = try start("doctor", []).outcome()
        #expect(!silent.standardOutput.contains("labdriver"), "\(silent)")
    }

    @Test("doctor proposes power-save = auto for a driver whose section says off, unless it is set")
    func powerSave() throws {
        try write("\(Self.rule)fault = it sleeps\npower-save = off\n")
        let found = try start("doctor", []).outcome()
        let words =
            "near0: its driver labdriver on platform has a known fault: it sleeps\n    remedy: set power-save = auto in"
        #expect(found.standardOutput.contains(words), "\(found)")
        for value in ["auto", "off"] {
            try link.configure("[default]\npower-save = \(value)\n")
            let silent = try start("doctor", []).outcome()
            #expect(!silent.standardOutput.contains("labdriver"), "\(value): \(silent)")
        }
        try write("\(Self.rule)power-save = auto\n")
        let refused = try start("run", ["--check"]).outcome()
        #expect(refused.status == 78, "\(refused)")
        let problem =
            "drivers.conf:2: power-save: 'auto' is neither off nor leave (for example: power-save = off)"
        #expect(refused.standardError.contains(problem), "\(refused)")
    }

    @Test("a service that reloads applies the changed file, and after a mistake keeps the old rules")
    func reload() throws {
        try write("\(Self.rule)forbid = bounce\n")
        let options = ["--force", "--interval", "300ms", "--backoff", "0", "--budget", "1000"]
        let service = try start("run", Self.options + options)
        let forbidden = "drivers.conf:1 forbids it"
        try eventually("the bounce is forbidden", detail: service.transcript) {
            service.standardError.contains(forbidden)
        }
        try write("[labdriver]\n")
        service.send(SIGHUP)
        let refused = "'labdriver' is not a driver and its bus"
        try eventually("the mistake is told", detail: service.transcript) {
            service.standardError.contains(refused)
                && service.standardError.contains("the old configuration stays")
        }
        #expect(try link.isUp)
        let trace = try LinkTrace(link)
        try write("")
        service.send(SIGHUP)
        try eventually("it bounces", detail: service.transcript) { trace.changes.count >= 2 }
        service.send(SIGTERM)
        let outcome = try service.outcome()
        #expect(outcome.status == 0, "\(outcome)")
    }
}
