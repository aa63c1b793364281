import Foundation
import Model
import Testing

@testable import Reporting

@Suite("The text of doctor's findings")
struct SetupFindingTextTests {
    private static let slow = GatewayRoundTrips(
        quarters: 96, least: .milliseconds(6), median: .milliseconds(52), most: .milliseconds(103),
        signal: -51)
    private static let quick = GatewayRoundTrips(
        quarters: 5, least: .milliseconds(1), median: .milliseconds(3), most: .milliseconds(9))

    static let kinds: [SetupFinding.Kind] = findings + rebootProblems.map { .reboot($0) }

    private static let findings: [SetupFinding.Kind] = [
        .radioBlocked(.soft), .radioBlocked(.hard),
        .blockStored(file: "/var/lib/systemd/rfkill/platform-soc:wlan"), .activationPolicy("always-up"),
        .autoconnectRetries(2), .savesPower(.unknown), .savesPower(.delays(slow)),
        .savesPower(.noDelays(quick)), .disputed([.iwd, .supplicant]), .disputed([.supplicant]),
        .ownerUnknown, .ownerCondition(OwnerCondition(.networkManager, .gaveUp)),
        .ownerCondition(OwnerCondition(.networkManager, .toldToDisconnect)),
        .ownerCondition(OwnerCondition(.supplicant, .gaveUp)),
        .ownerCondition(OwnerCondition(.networkd, .gaveUp)),
        .ownerCondition(OwnerCondition(.resolved, .hung)), .ownerCondition(OwnerCondition(.resolved, .dead)),
        .ownerCondition(OwnerCondition(.supplicant, .hung)), .ownerCondition(OwnerCondition(.iwd, .dead)),
        .ownerCondition(OwnerCondition(.dhcpcd, .hung)), .ownerCondition(OwnerCondition(.dhclient, .dead)),
        .ownerCondition(OwnerCondition(.ifupdown, .dead)),
        .ownerCondition(OwnerCondition(.iwd, .lostDevices)),
        .configConflict(.delayTooLong(.networkManager, delay: .seconds(9), longest: .seconds(5))),
        .configConflict(.settleTooShort(.dhcpcd, settle: .seconds(1), recovery: .seconds(8))),
        .configConflict(.cannotReassociate(.iwd)), .noDefaultRoute,
        .knownDriver(
            DriverName("brcmfmac", on: "sdio"), fault: "with power saving on, answers may take seconds",
            wantsPowerSaveAuto: true, remedy: nil),
        .knownDriver(
            DriverName("mt7921u", on: "usb"), fault: nil, wantsPowerSaveAuto: false,
            remedy: "update the firmware"),
        .knownDriver(
            DriverName("rtw89_8852be", on: "pci"),
            fault: "the connection may be lost while power saving is on",
            wantsPowerSaveAuto: true, remedy: "update the kernel"),
        .port(
            Port(master: InterfaceIndex(rawValue: 9), masterName: "br0", kind: .bridge, traffic: .masters)),
        .port(
            Port(master: InterfaceIndex(rawValue: 9), masterName: "team0", kind: .team, traffic: .unknown)),
        .foreignSource(
            InterfaceAddress(address: .v4(0x0a63_0909), prefixLength: 32, reachesBeyondLink: true),
            gateway: .v4(0x0a4d_0001), ours: .v4(0x0a4d_0002)),
        .deaf(LastAdvertisement(ago: .seconds(1300), lifetime: .seconds(1800))),
        .forbiddenMethods(
            ForbiddenMethods(methods: [.rebind, .reset], place: "/sys", error: "Read-only file system")),
        .forbiddenMethods(
            ForbiddenMethods(methods: [.rfkill], place: "/dev/rfkill", error: "Permission denied")),
        .forbiddenMethods(
            ForbiddenMethods(methods: [.reboot], place: "/run/dbus", error: "No such file or directory")),
        .mayNotReset(ForbiddenMethods(methods: [.reset], place: "/sys", error: "Read-only file system")),
        .mayNotRestart(RestartAccess(unit: "NetworkManager.service", permission: .refused)),
        .mayNotRestart(
            RestartAccess(unit: "iwd.service", permission: .absent("busctl ended with status 1"))),
        .strictReversePath(uplinks: ["eth0", "wlan0"]), .mayNotChangeLinks, .mayNotPing, .mayNotAnnounceIPv6,
        .rival("ifplugd", process: 9), .cronRival(file: "/etc/cron.d/wifi", line: 3),
        .cronBesideService(file: "/etc/cron.d/wifi-toggler", line: 3), .noCountry,
        .clockBehind(.seconds(90_000)), .serviceNotEnabled,
        .serviceMasked, .nothingStartsUs, .directory("/var/lib/wifi-toggler: Read-only file system"),
    ]

    private static let rebootRecord = "/var/lib/wifi-toggler/reboots"
    private static let rebootProblems: [RebootProblem] = [
        .noLogind("busctl is not installed (looked in /usr/bin, /bin, /usr/sbin, /sbin)"),
        .noPolkit("busctl ended with status 1: Call failed: The name is not activatable"), .notPermitted,
        .inhibited, .recordDamaged(file: rebootRecord),
        .recordUnreadable(file: rebootRecord, error: "Operation not permitted"),
        .recordVolatile(directory: "/var/lib/wifi-toggler"),
        .limit(.seconds(69_960), reboots: 1), .limit(.seconds(200_000), reboots: 3),
        .neverWorked(SSID("lab".utf8)), .neverWorked(nil), .uplink("eth0"), .notVerified,
        .laterThan(.seconds(60), methods: .seconds(66)),
    ]

    @Test("each finding has a reason of its own, a remedy and a reference, on one line each")
    func words() {
        let findings = Self.kinds.map { SetupFinding($0, of: "wlan0") }
        for finding in findings {
            #expect(finding.lines.count == 3)
            #expect(finding.lines[0] == "\(finding.severity.text): wlan0: \(finding.reason)")
            #expect(finding.lines[1] == "    remedy: \(finding.remedy)")
            #expect(finding.lines[2] == "    see: \(finding.reference.text)")
            for line in finding.lines { #expect(!line.unicodeScalars.contains("\n") && line.last != ".") }
        }
        #expect(Set(findings.map(\.reason)).count == findings.count)
        #expect(
            Set(findings.map(\.name)).count == findings.count - 22,
            "twenty-two are told apart by their reasons alone"
        )
    }

    @Test("the JSON of a finding has its keys in order, and `interface` is null for the machine")
    func record() {
        #expect(
            SetupFinding(.noCountry).json.line
                == """
                {"severity":"note","interface":null,"finding":"no-country","reason":"no country is set: only channels \
                and power that all countries allow (regulatory domain 00)","remedy":"set it so that it survives a \
                reboot: with raspi-config on a Raspberry Pi, country= in wpa_supplicant.conf, Country= in iwd's \
                main.conf, or cfg80211.ieee80211_regdom= on the kernel's command line","reference":"TROUBLESHOOTING.md, \
                The radio is blocked, or does not work at all"}
                """)
        #expect(
            SetupFinding(.savesPower(.unknown), of: "wlan0").json.line.contains(
                #""interface":"wlan0","finding":"power-save""#))
    }

    @Test("each finding refers to an existing section that names its subject", arguments: kinds)
    func reference(of kind: SetupFinding.Kind) throws {
        let reference = SetupFinding(kind, of: "wlan0").reference
        let section = try #require(try Self.text(of: reference), "there is no section '\(reference.text)'")
        let subject = kind.subject
        #expect(section.contains(subject.lowercased()), "\(reference.text) has nothing about '\(subject)'")
    }

    /// The section, without its title, in lower case and on one line; nil: there is no such section.
    private static func text(of reference: SetupFinding.Reference) throws -> String? {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let pageOfManual = reference.page.wholeMatch(of: /([-a-z.]+)\((\d)\)/)
        let file = pageOfManual.map { "man/\($0.1).\($0.2)" } ?? "contrib/docs/\(reference.page)"
        let lines = try String(contentsOf: root.appending(path: file), encoding: .utf8).split(separator: "\n")
        // The headings, the highest first. A section ends with the next heading that is as high, or higher.
        let headings = pageOfManual == nil ? ["## "] : [".Sh ", ".Ss "]
        for (level, heading) in headings.enumerated() {
            guard let title = lines.firstIndex(of: Substring(heading + reference.section)) else { continue }
            let section = lines[(title + 1)...].prefix { line in
                !headings[...level].contains { line.hasPrefix($0) }
            }
            return section.flatMap { $0.split(separator: " ") }.joined(separator: " ")
                .replacing("\\-", with: "-").lowercased()
        }
        return nil
    }

    @Test("the text of a finding has the numbers and names on which the finding is based")
    func numbers() {
        let hold = SetupFinding(
            .configConflict(.delayTooLong(.networkManager, delay: .seconds(9), longest: .seconds(5))))
        #expect(hold.reason.contains("NetworkManager") && hold.reason.contains("9s"))
        #expect(hold.remedy == "set --delay to 5s or less")
        #expect(
            SetupFinding(.cronRival(file: "/etc/crontab", line: 12)).reason.hasPrefix("/etc/crontab:12: "))
        #expect(SetupFinding(.disputed([.iwd, .supplicant])).reason.contains("iwd and wpa_supplicant"))
        #expect(
            SetupFinding(.savesPower(.delays(Self.slow))).reason.hasSuffix(
                " take 6ms to 103ms, median 52ms, with a signal of -51 dBm, in 1d of checks"))
        #expect(
            SetupFinding(.savesPower(.noDelays(Self.quick))).reason.hasSuffix(
                " take 1ms to 9ms, median 3ms, in 1h 15m of checks"))
        #expect(
            SetupFinding(.deaf(LastAdvertisement(ago: .seconds(1300), lifetime: .seconds(1800)))).reason
                .hasPrefix(
                    "no router advertisement has come for 21m 40s, although the last one is valid for 30m"))
        #expect(SetupFinding(.radioBlocked(.soft), of: "wlan7").remedy.contains("ip link set wlan7 up"))
    }
}

extension SetupFinding.Kind {
    /// Words that the section to which the finding refers must contain.
    fileprivate var subject: String {
        switch self {
        case .radioBlocked(.hard): "hard blocked"
        case .radioBlocked: "soft blocked"
        case .blockStored: "systemd-rfkill stores"
        case .activationPolicy(let policy): "ActivationPolicy=\(policy)"
        case .autoconnectRetries: "connection.autoconnect-retries"
        case .savesPower: "power saving is on"
        case .disputed, .configConflict(.disputed): "two programs that do the same work"
        case .ownerUnknown: "cannot see the processes of other users"
        case .ownerCondition(let condition): condition.subject
        case .configConflict(.delayTooLong): ".Fl Fl delay that is longer"
        case .configConflict(.settleTooShort): ".Fl Fl settle that is shorter"
        case .configConflict(.cannotReassociate): "the method reassociate"
        case .noDefaultRoute: "no default route"
        case .port: "a port of a bond"
        case .foreignSource: "source address"
        case .deaf: "router advertisement"
        case .knownDriver: "knows the faults of some drivers"
        case .forbiddenMethods(let forbidden): forbidden.place
        case .reboot(let problem): problem.subject
        case .mayNotReset: "cannot reset a radio that refuses to work"
        case .mayNotRestart: "to restart and kill the units of owners"
        case .strictReversePath: "rp_filter"
        case .mayNotChangeLinks: "CAP_NET_ADMIN"
        case .mayNotPing: "net.ipv4.ping_group_range"
        case .mayNotAnnounceIPv6: "CAP_NET_RAW"
        case .rival(let name, _): name
        case .cronRival: "cron lines that set links down"
        case .cronBesideService: "use the service, you need no cron line"
        case .noCountry: "set the country"
        case .clockBehind: "clock"
        case .serviceNotEnabled: "systemctl enable --now wifi-toggler"
        case .serviceMasked: "the service is masked"
        case .nothingStartsUs: "neither a service nor cron"
        case .directory: "names the directory"
        }
    }
}

extension OwnerCondition {
    fileprivate var subject: String {
        switch kind {
        case _ where owner == .resolved: "restarts systemd-resolved"
        case .gaveUp: "has given up"
        case .toldToDisconnect: "was told to disconnect"
        case .hung: ".It Em hung"
        case .lostDevices: "has lost its devices"
        case .dead: ".It Em dead"
        }
    }
}

extension RebootProblem {
    fileprivate var subject: String {
        switch self {
        case .noLogind: "systemd-logind"
        case .noPolkit, .notPermitted: "polkit"
        case .inhibited: "inhibits shutdown"
        case .recordDamaged, .recordUnreadable: "damaged or cannot be read"
        case .recordVolatile: "a reboot cannot undo this"
        case .limit: "has not rebooted the machine in the last day"
        case .neverWorked: "the link was once healthy"
        case .uplink: "has a default route"
        case .notVerified: ".Fl Fl settle Cm 0"
        case .laterThan: "take longer than .Fl Fl reboot-after"
        }
    }
}
