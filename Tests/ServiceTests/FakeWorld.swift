import Model
import Testing
import Toggling

@testable import Reporting
@testable import Service

/// An environment for one test. Every closure that the test did not set makes the test fail, except
/// `onKernelStateOf` and `onBaseline`.
final class FakeWorld {
    var now = Instant(nanoseconds: 1_000_000_000)
    private(set) var wakes: [Instant?] = []
    private(set) var log: [String] = []
    var reports: [Report] = []
    var outcomes: [RunOutcome] = []
    var onKernelState: (Environment.Done<KernelState>) -> Void = { _ in
        Issue.record("kernel state was not expected")
    }
    /// Called with the interface.
    var onKernelStateOf: (InterfaceIndex) -> Void = { _ in }
    var onSet: (Bool, @escaping Environment.Done<Void>) -> Void = { _, _ in
        Issue.record("neither lower nor raise was expected")
    }
    var onPerform: (Environment.Done<Void>) -> Void = { _ in Issue.record("perform was not expected") }
    var onSnapshot: (Environment.Done<Snapshot>) -> Void = { _ in
        Issue.record("takeSnapshot was not expected")
    }
    /// By default there is nothing to save.
    var onBaseline: (Environment.Done<Snapshot>) -> Void = { $0(.success(Snapshot())) }
    var onDirectedScan: (Environment.Done<Void>) -> Void = { _ in
        Issue.record("directedScan was not expected")
    }
    var onAbortScan: (Environment.Done<Duration>) -> Void = { _ in
        Issue.record("abortScan was not expected")
    }
    var onRestore: (@MainActor (Restoration) -> Void) -> Void = { _ in
        Issue.record("restore was not expected")
    }
    var onProbe: (ProbeRequest, @MainActor (ProbeResult) -> Void) -> Void = { request, _ in
        Issue.record("probe \(request) was not expected")
    }
    var onArm: (Environment.Done<Void>) -> Void = { _ in Issue.record("arm was not expected") }

    static let interfaceRef = InterfaceRef(id: 1, index: InterfaceIndex(rawValue: 7), name: "wlan0")

    var environment: Environment {
        Environment(
            clock: Environment.Clock(now: { self.now }, wake: { self.wakes.append($0) }),
            links: Environment.Links(
                kernelState: { interfaceRef, details, done in
                    self.log.append("kernel state" + details.text)
                    self.onKernelStateOf(interfaceRef.index)
                    self.onKernelState(done)
                },
                takeSnapshot: { _, done in
                    self.log.append("snapshot")
                    self.onSnapshot(done)
                },
                takeBaseline: { _, done in
                    self.log.append("baseline")
                    self.onBaseline(done)
                },
                directedScan: { _, accessPoint, done in
                    self.log.append("directed scan on \(accessPoint.frequency)")
                    self.onDirectedScan(done)
                },
                abortScan: { _, accessPoint, since, done in
                    self.log.append("abort scan for \(accessPoint.ssid), \((self.now - since).text)")
                    self.onAbortScan(done)
                },
                resolveNeighbours: { _, addresses in self.log.append("resolve \(addresses)") },
                switchPowerSaveOff: { self.log.append("power save \($1)\($2 ? ", dry run" : "")") },
                announce: { _ in self.log.append("announce") },
                restore: { _, _, _, done in
                    self.log.append("restore")
                    self.onRestore(done)
                }),
            methods: Environment.Methods(
                lower: { _, method, done in
                    self.log.append(method == .bounce ? "lower" : "lower by \(method.rawValue)")
                    self.onSet(false, done)
                },
                raise: { _, method, done in
                    self.log.append(method == .bounce ? "raise" : "raise by \(method.rawValue)")
                    self.onSet(true, done)
                },
                perform: { _, method, settings, done in
                    self.log.append("\(method.rawValue) \(settings.hook ?? "")")
                    self.onPerform(done)
                },
                stop: { _ in self.log.append("stop") }),
            probes: Environment.Probes(
                start: { request, _, done in
                    self.log.append("probe")
                    self.onProbe(request, done)
                },
                cancel: { id, _ in self.log.append("cancel \(id)") }),
            guard: Environment.Guard(
                arm: { _, _, _, done in
                    self.log.append("arm")
                    self.onArm(done)
                },
                tell: { self.log.append("tell \($1)") },
                disarm: { _ in self.log.append("disarm") }),
            store: Environment.Store(
                remember: { self.log.append("remember \($1.entries.count)") },
                rememberBounces: { self.log.append("remember bounces \($1.bounces.count)") }),
            reporter: Environment.Reporter(
                report: { self.reports.append($1) },
                transition: { self.log.append("\($1) → \($2)") },
                finished: { self.outcomes.append($1) }))
    }

    /// A station that is associated and addressed.
    static var kernelState: KernelState {
        KernelState(
            link: Link(
                index: interfaceRef.index, name: interfaceRef.name, isUp: true, hasCarrier: true,
                operationalState: .up),
            wireless: Wireless(
                role: .station, phy: 0,
                association: Association(bssid: MACAddress([2, 0, 0, 0, 0, 0])!, ssid: SSID("lab".utf8))),
            addresses: [
                InterfaceAddress(address: IPAddress("10.77.0.2")!, prefixLength: 24, reachesBeyondLink: true)
            ],
            gateways: [Gateway(address: IPAddress("10.77.0.1")!, neighbour: Neighbour(state: .stale))])
    }
}

extension KernelState.Details {
    fileprivate var text: String {
        (logins ? " with logins" : "") + (livenessWithin.map { " heard within \($0.text)" } ?? "")
            + (powerSave ? " with power save" : "")
    }
}
