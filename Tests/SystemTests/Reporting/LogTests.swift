import Foundation
import Glibc
import Testing

/// The test's sockets are mounted in place of the journal's and syslog's, in a mount namespace of the
/// program's own.
@Suite("Where the log goes", .needsRoot)
struct LogTests {
    private static let options = ["--interval", "1h", "--probe", "none"]
    private static let starting = "\(VirtualLink.near): starting: a check every 1h"

    /// The words before a command that is to see the test's socket in place of the journal's.
    private func journal(_ log: NotificationSocket, prelude: String = "") -> [String] {
        let script = """
            set -e
            mount -t tmpfs none /run
            mkdir -p /run/systemd/journal
            : >/run/systemd/journal/socket
            mount --bind \(log.path) /run/systemd/journal/socket
            \(prelude)
            exec "$@"
            """
        return ["unshare", "--mount", "--", "sh", "-c", script, "sh"]
    }

    private static let stream = "export JOURNAL_STREAM=$(stat -L -c %d:%i /proc/self/fd/2)"

    /// The fields of the message whose MESSAGE contains these words.
    private func message(_ words: String, _ log: NotificationSocket, _ service: Child) throws -> [String] {
        var found: [String]?
        try eventually("'\(words)' is logged", detail: service.transcript + "\(log.received)") {
            log.check()
            found = log.received.map { $0.split(separator: "\n").map(String.init) }
                .first { $0.contains { $0.hasPrefix("MESSAGE=") && $0.contains(words) } }
            return found != nil
        }
        return found ?? []
    }

    @Test("if stderr is the journal's, messages go there with fields, and to stderr if that fails")
    func native() throws {
        let link = try VirtualLink(gateway: .none)
        let log = try NotificationSocket(in: link.directory)
        let service = try link.start("run", Self.options, prefix: journal(log, prelude: Self.stream))
        let starting = try message(Self.starting, log, service)
        #expect(starting.contains("PRIORITY=5") && starting.contains("SYSLOG_IDENTIFIER=wifi-toggler"))
        #expect(starting.contains { $0.hasPrefix("MESSAGE_ID=") }, "\(starting)")
        #expect(starting.contains("WIFI_TOGGLER_INTERFACE=\(VirtualLink.near)"), "\(starting)")
        let healthy = try message("\(VirtualLink.near): healthy", log, service)
        for field in ["VERDICT=healthy", "CONDITION=healthy", "ACTION=none"] {
            #expect(healthy.contains("WIFI_TOGGLER_" + field), "\(healthy)")
        }
        // Messages that are not reports: requests and states.
        #expect(try link.run("reconnect", ["--wait", "30s"]).status == 0)
        service.send(SIGUSR2)
        for words in ["reconnect requested", "healthy; now: waiting"] {
            _ = try message("\(VirtualLink.near): \(words)", log, service)
        }
        for message in log.received where message.contains("MESSAGE=\(VirtualLink.near): ") {
            let fields = message.split(separator: "\n")
            #expect(fields.contains("WIFI_TOGGLER_INTERFACE=\(VirtualLink.near)"), "\(message)")
        }
        #expect(service.standardError.isEmpty, "\(service.transcript)")
        // The log's socket has no reader any more.
        log.end()
        try link.nearIP("link set \(VirtualLink.near) down")
        try eventually("it is said on standard error, with its level", detail: service.transcript) {
            service.standardError.contains("<3>\(VirtualLink.near): no bounce: ")
        }
        try service.endService()
    }

    @Test("messages other than reports have a MESSAGE_ID too")
    func numbers() throws {
        let link = try VirtualLink(gateway: .none)
        let log = try NotificationSocket(in: link.directory)
        let hooks = link.directory.appendingPathComponent("hooks.d")
        try FileManager.default.createDirectory(
            at: hooks, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
        let service = try link.start(
            "run", Self.options + ["--hooks-dir", hooks.path], prefix: journal(log, prelude: Self.stream))
        _ = try message("\(VirtualLink.near): healthy", log, service)
        func expect(_ number: String, of words: String) throws {
            let told = try message(words, log, service)
            #expect(told.contains("MESSAGE_ID=" + number), "\(words): \(told)")
        }
        #expect(try link.runHold(["1h"]).status == 0)
        try expect("1d5139eb24124af58c776cc1efb3f3c4", of: "\(VirtualLink.near): no bounce for another 1h")
        #expect(try link.runHold(["0"]).status == 0)
        try expect("bcc601ccc5a64354a369546dc7022580", of: "\(VirtualLink.near): released")
        service.send(SIGHUP)
        try expect("a1b286dcbdb14eaf98f6abca813f802b", of: "configuration read again")
        try link.configure("[default]\nfall = none\n")
        service.send(SIGHUP)
        try expect("e14d867d0dac44dda26457a0cbb65920", of: "the old configuration stays")
        // A hook that everybody may write to.
        let hook = hooks.path + "/foreign"
        try shell("install -m 777 /dev/null \(hook)")
        try link.nearIP("link set \(VirtualLink.near) down")
        try expect("370cf7c29d3d47aea93d9ba063d31d37", of: "the hook \(hook): not run")
        try link.nearIP("link set \(VirtualLink.near) name fresh0")
        try expect("6c3d99cc82844819be39d69e169c0468", of: "\(VirtualLink.near): is called fresh0 now")
        try service.endService()
    }

    @Test("the log goes to the journal if JOURNAL_STREAM names stderr or with --log journal, else to stderr")
    func chosen() throws {
        let link = try VirtualLink(gateway: .none)
        let log = try NotificationSocket(in: link.directory)
        let other = journal(log, prelude: "export JOURNAL_STREAM=1:1")
        for (options, prefix) in [([], other), (["--log", "stderr"], journal(log, prelude: Self.stream))] {
            let service = try link.start("run", Self.options + options, prefix: prefix)
            try eventually("it speaks", detail: service.transcript) {
                service.standardError.contains(Self.starting)
            }
            try service.endService()
            log.check()
            #expect(log.received.isEmpty, "\(log.received)")
        }
        try link.configure("[default]\nlog = journal\n")
        let service = try link.start("run", Self.options, prefix: journal(log))
        _ = try message(Self.starting, log, service)
        #expect(service.standardError.isEmpty, "\(service.transcript)")
        try service.endService()
    }

    /// The words before a command that is to see the test's socket in place of syslog's.
    /// - Parameter error: a redirection of the command's standard error.
    private func syslog(_ log: NotificationSocket, _ link: VirtualLink, error: String = "") -> [String] {
        let script = """
            set -e
            dev=\(link.directory.path)/dev
            mkdir -p $dev
            mount -t tmpfs none $dev
            for file in null urandom rfkill; do [ ! -e /dev/$file ] || cp -a /dev/$file $dev/; done
            : >$dev/log
            mount --bind \(log.path) $dev/log
            mount --rbind $dev /dev
            exec "$@" \(error)
            """
        return ["unshare", "--mount", "--", "sh", "-c", script, "sh"]
    }

    @Test(
        "--log syslog sends each message to /dev/log; so does a service whose stderr is closed",
        arguments: [(["--log", "syslog"], ""), ([], "2>/dev/null"), ([], "2>&-")])
    func syslog(options: [String], error: String) throws {
        let link = try VirtualLink(gateway: .none)
        let log = try NotificationSocket(in: link.directory)
        let service = try link.start(
            "run", Self.options + options, prefix: syslog(log, link, error: error))
        try eventually("it is logged", detail: service.transcript + "\(log.received)") {
            log.check()
            return log.received.contains { $0.hasPrefix("<29>") && $0.contains("]: \(Self.starting)") }
        }
        #expect(service.standardError.isEmpty, "\(service.transcript)")
        try service.endService()
    }

    @Test("output that somebody reads, or that a one-shot's user silenced, is not sent to syslog")
    func noSyslog() throws {
        let link = try VirtualLink(gateway: .none)
        let log = try NotificationSocket(in: link.directory)
        let service = try link.start("run", Self.options, prefix: syslog(log, link))
        try eventually("it speaks", detail: service.transcript) {
            service.standardError.contains(Self.starting)
        }
        try service.endService()
        // A one-shot whose standard error the user has sent to /dev/null.
        let null = syslog(log, link, error: "2>/dev/null")
        #expect(
            try link.start("probe", ["--verbose", "--probe", "none"], prefix: null).outcome().status == 0)
        let stubborn = try link.start(
            "run", Self.options + ["--log", "stderr"], prefix: null)
        try eventually("it has begun") {
            FileManager.default.fileExists(atPath: link.controlSocket)
        }
        try stubborn.endService()
        log.check()
        #expect(log.received.isEmpty, "\(log.received)")
    }
}
