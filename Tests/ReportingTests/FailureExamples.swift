import Glibc
import HelperProtocol
import Toggling

@testable import Guarding
@testable import Model
@testable import Netlink
@testable import Platform
@testable import Probing
@testable import Recovery
@testable import Reporting

/// Reasons why a method was not carried out, and why a probe gave no answer, from the libraries that report
/// them.
@MainActor enum FailureExamples {
    private static let missing = SystemError(call: "open", code: ENOENT)
    private static let unwaited = SystemError(call: "waitid", code: ECHILD)
    private static let denied = SystemError(call: "open", code: EACCES)
    private static let exhausted = SystemError(call: "fork", code: EAGAIN)

    /// The failures of each method, in the order of the methods.
    private static var failures: [(Method, [Failure])] {
        [
            (.reassociate, supplicant), (.owner, owners + networkManager),
            (
                .restartOwner,
                [
                    .atWork, .toldToDisconnect(.networkManager), .needed(.supplicant, by: "wlan1"),
                    .noService(of: .iwd), .needsRoot(.openRC),
                ] + elsewhere
            ),
            (.bounce, [.guardLate, .guardEnded]),
            (
                .rfkill,
                [
                    RadioSwitch.Problem.none, .hardBlocked, .softBlocked, .shared(with: "wlan1"),
                    .refused(denied),
                ].map { Failure($0) }
            ),
            (.rebind, bindings.map { Failure($0) } + [.late, .doneBefore, forbidden]),
            (
                .reset,
                ["device on USB, PCI or SDIO", "device that its bus can reset"].map {
                    Failure(DriverBinding.Problem.unavailable($0))
                } + [
                    .notOfWiFi(DriverName("ahci", on: "pci")),
                    .notLost("1-1.4:1.0", by: DriverName("mt76x2u", on: "usb")),
                    .otherDevice(than: "0000:03:00.0", of: DriverName("iwlwifi", on: "pci")),
                ]
            ),
            (.hook, hooks),
            (
                .reboot,
                [
                    .inhibited, .stillUp, .announced, .unrecorded,
                    .unrecordable("/var/lib/wifi-toggler/reboots", SystemError(call: "write", code: ENOSPC)),
                ]
            ),
        ]
    }

    /// Owners that this program does not restart.
    private static var elsewhere: [Failure] {
        func place(
            _ unit: ProcessUnit, _ process: Int32? = 7, _ change: (inout OwnerPlace) -> Void = { _ in }
        ) -> OwnerPlace {
            var place = OwnerPlace(owner: .supplicant, interface: "wlan0", process: process, unit: unit)
            change(&place)
            return place
        }
        return [
            place(.service("my-wifi.service")), place(.service("networking.service")), place(.noService),
            place(.noService) { $0.isHung = true }, place(.noService, nil),
            place(.noService) { ($0.isHung, $0.isFromIfupdown) = (true, true) },
            place(.unknown, nil) { $0.isFromIfupdown = true },
        ].compactMap { place in
            failure { () throws(Failure) in _ = try place.restartable(of: ["wpa_supplicant.service"]) }
        }
    }

    private static var supplicant: [Failure] {
        let problems: [ControlSocket.Problem] = [
            .none, .untrusted("/run/wpa_supplicant/wlan0 is not a socket"), .refused(denied),
        ]
        let replies = ["wpa_state=DISCONNECTED", "FAIL-BUSY"].map { SupplicantReply(Array($0.utf8)) }
        return problems.map { Failure($0) } + [.silence, .nonsense]
            + replies.compactMap(\.reasonNotToReassociate)
    }

    private static var owners: [Failure] {
        let rivals = Ownership.Part([.init(.iwd, ""), .init(.supplicant, "")])
        let ownerships = [
            Ownership(station: rivals, network: .init()), Ownership(station: .init(), network: .init()),
            Ownership(), Ownership(station: .init(), network: .init([.init(.dhclient, "")])),
        ]
        let endings: [ChildProcess.Ending] = [
            .exited(status: 3), .killed(signal: 9), .timedOut, .notStarted(exhausted), .lost(unwaited),
        ]
        return ownerships.compactMap { owned in failure { () throws(Failure) in _ = try owned.requests() } }
            + [.unaskable, .unheard]
            + [
                failure { () throws(Failure) in
                    _ = try OwnerRequest.errorClearance.step(for: "wlan0", after: [[]])
                }
            ]
            .compactMap(\.self)
            + [
                failure { () throws(Failure) in _ = try OwnerCommand.path(of: "nmcli", in: ["/usr/bin/none"])
                }
            ]
            .compactMap(\.self)
            + endings.compactMap { OwnerCommand.outcome(of: $0, [], "nmcli").failure }
    }

    /// The failures that nmcli's answers lead to.
    private static var networkManager: [Failure] {
        let away = "GENERAL.STATE:30 (disconnected)\nGENERAL.REASON:0 (none)\nGENERAL.AUTOCONNECT:yes\n"
        let available = away + "CONNECTIONS.AVAILABLE-CONNECTIONS[1]:0-1 | home\n"
        let answers: [[String]] = [
            ["GENERAL.STATE:100 (connected (externally))\n"], ["GENERAL.STATE:100 (connected)\n"],
            ["GENERAL.STATE:10 (unmanaged)\n"], [away.replacing("0 (none)", with: "39 (user requested)")],
            [away.replacing("yes", with: "no")], [away], [available, ""],
        ]
        return answers.map { $0.map { Array($0.utf8) } }.compactMap { bytes in
            failure { () throws(Failure) in
                _ = try NetworkManagerRequest.step(for: "wlan0", after: bytes)
            }
        }
    }

    private static let bindings: [DriverBinding.Problem] = [
        .unavailable("device"), .unavailable("bus"), .unavailable("driver that its bus can unbind"),
        .shared(with: "wlan1"), .stranding, .refused(denied, path: "/sys/bus/usb/drivers/mt76x2u/unbind"),
        .refused(SystemError(call: "open", code: EROFS), path: "/sys/bus/usb/drivers/mt76x2u/unbind"),
        .unplugged, .notBack, .notBackBeside("mmc2:0001"),
    ]

    private static var forbidden: Failure {
        let name = DriverName("mt7925e", on: "pci")
        var rule = DriverRule(name, file: "/etc/wifi-toggler/drivers.conf", line: 3)
        rule.source = "example/driver#484"
        return .forbidden(by: rule, for: name)
    }

    private static let hookPath = "/usr/local/sbin/heal-wifi"

    private static var hooks: [Failure] {
        let endings: [ChildProcess.Ending] = [
            .exited(status: 3), .killed(signal: 9), .timedOut, .notStarted(exhausted), .lost(unwaited),
        ]
        return distrust(of: hookPath).map(Hook.failure) + [Hook.busy(hookPath)]
            + endings.compactMap { ending in
                failure { () throws(Failure) in try Hook.result(of: ending, []).get() }
            }
    }

    /// Why root does not run a program.
    private static func distrust(of path: String) -> [TrustedProgram.Problem] {
        [
            .symbolicLink(path), .notADirectory("/usr/local/sbin"), .notRegular(path),
            .foreign(path, owner: 1000), .writable(path), .unreadable(path, missing),
            .unreadable(path, denied),
        ]
    }

    private static func failure(_ body: () throws(Failure) -> Void) -> Failure? {
        do throws(Failure) {
            try body()
            return nil
        } catch {
            return error
        }
    }

    /// The log's lines about methods that failed, before the next one is tried.
    static var methods: [String] {
        var formatter = LogFormatter(verbosity: .normal)
        return failures.flatMap { method, failures in
            failures.flatMap { failure in
                formatter.lines(
                    for: .step(
                        .passedOver(
                            method, method == .bounce ? .guarding : .performing, failure, next: nil)),
                    interface: "wlan0", at: .boot)
            }
        }.map { "\($0.level): \($0.text)" }
    }

    /// The log of `repair` about a route in the record that is another interface's, and is not restored.
    static var forged: [String] {
        let route = "198.51.100.0/24 dev wlan1"
        let restoration = Restoration(
            lost: [route], refused: [.init(description: route, failure: .ofAnotherInterface)])
        return FinishedBounce.finished(wasDown: true, restoration).lines(by: .repair, interface: "wlan0")
            .map { "\($0.level): \($0.text)" }
    }

    /// The log's lines about hooks for events that fail.
    static var hooksOfEvents: [String] {
        let path = "/etc/wifi-toggler/hooks.d/50-tell"
        let endings: [ChildProcess.Ending] = [
            .exited(status: 3), .killed(signal: 9), .timedOut, .notStarted(exhausted), .lost(unwaited),
        ]
        return endings.compactMap { HookDirectory.description(for: $0, Array("no network\n".utf8)) }
            .map { HookDirectory.description(path, $0) }
    }

    /// Messages about failed queries to the kernel, as a command and a verdict report them.
    static var kernel: [String] {
        let failures: [Failure] = [
            .noAnswer, .inconsistent, .noMemory, .tooLong, .withoutErrno, .unreadable("a link"),
            .unreadable("IPv6 forwarding"),
        ]
        return ["wlan0: " + failures[0].description(after: "could not ask the kernel")]
            + failures.map { Reason.kernelStateFailed($0).description(interface: "wlan0") }
    }

    /// The failures if the helper cannot be started, and if it is too early to start it again.
    private static var helperFailures: [Failure] {
        let supervisor = HelperSupervisor(find: { "/nonexistent/wifi-toggler-prober" })
        let make = { (id: UInt32) in
            HelperRequest(
                id: id, question: .dns(name: "www.example.net", expectsPrivate: false), interface: "wlan0",
                index: InterfaceIndex(rawValue: 3), servers: [], timeout: .seconds(3))
        }
        var failures: [Failure] = []
        for _ in 1...2 {
            supervisor.ask(make) { if case .failure(let failure) = $0 { failures.append(failure) } }
        }
        return failures
    }

    /// The log of `repair` about power saving, which is restored too.
    static var powerSave: [String] {
        let items = [true, false].map { isOn in
            SavedPowerSave(isOn: isOn, on: InterfaceIndex(rawValue: 3), family: 0).description(
                InterfaceNames())
        }
        let restoration = Restoration(lost: items, restored: items)
        return FinishedBounce.finished(wasDown: true, restoration).lines(by: .repair, interface: "wlan0")
            .map { "\($0.level): \($0.text)" }
    }

    /// Results of probes, as the table of `probe` has them.
    static var probes: [String] {
        let gateway = IPAddress("192.0.2.1")!
        let command = ProbeRequest.Question.command("/usr/local/libexec/check-vpn")
        let name = ProbeRequest.Question.dns(name: "www.example.net", server: nil)
        let endings: [ChildProcess.Ending] = [
            .exited(status: 0), .exited(status: 1), .exited(status: 7), .killed(signal: 9), .timedOut,
            .notStarted(exhausted), .lost(unwaited),
        ]
        let helper: [HelperLocator.Absence] = [
            .missing(["/usr/bin", "/usr/libexec/wifi-toggler"]), .untrusted("/opt/bin/wifi-toggler-prober"),
            .unreadable("/usr/bin/wifi-toggler-prober", exhausted),
        ]
        let device = Device(index: InterfaceIndex(rawValue: 3), name: "wlan0")
        let strange = HelperAnswer.Outcome.refuted(.portal, roundTrip: .zero, detail: "")
        let question = HelperRequest.Question.dns(name: "www.example.net", expectsPrivate: false)
        let results =
            endings.map { (command, CommandProbes.result(of: $0, [], after: .milliseconds(9))) }
            + [(command, CommandProbes.busy)]
            + [CommandIdentity.Problem.noSuchUser("checker"), .notAllowed("checker"), .unreadable(denied)]
            .map { (command, CommandProbes.notRun($0.description)) }
            + helper.map { (name, .unknown(HelperSupervisor.failure($0))) }
            + ([.exited(status: 77), .exited(status: 1)] + endings.suffix(4)).map {
                (name, .unknown(Failure(kind: .lost, description: HelperSupervisor.description($0))))
            }
            + (helperFailures + [HelperProbe.noServers(device)]).map { (name, .unknown($0)) }
            + [(name, HelperProbe.result(strange, of: question, within: .zero))]
            + [NeighbourProbe.deleted(gateway), NeighbourProbe.fixed(gateway)].map {
                (.neighbour(gateway), .unknown($0))
            }
        return EvidenceTable.lines(results.map { .probe($0.0, $0.1) })
    }
}

extension OwnerCommand.Outcome {
    fileprivate var failure: Failure? {
        switch self {
        case .answered: nil
        case .ended(_, let failure), .notRun(let failure): failure
        }
    }
}
