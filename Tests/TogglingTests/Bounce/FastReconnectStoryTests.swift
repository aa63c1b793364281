import Testing

@testable import Model
@testable import Toggling

/// After the raise the scan owner scans all channels, although the kernel still knows the access point. A
/// fast reconnect aborts that scan.
@Suite("Stories of fast reconnect") struct FastReconnectStoryTests {
    /// A station whose owner scans for four seconds after each raise.
    private func world(
        _ runMode: RunMode = .toggle, _ scanOwner: Owner? = .supplicant,
        _ change: (inout Settings) -> Void = { _ in }
    ) -> VirtualWorld {
        var world = VirtualWorld(runMode, Sample.settings(change))
        world.configuration.snapshot = Snapshot(scanOwner: scanOwner)
        world.scans.afterRaise = Sample.sweep
        return world
    }

    private func toggled(
        _ scanOwner: Owner? = .supplicant, _ change: (inout Settings) -> Void = { _ in },
        in adjust: (inout VirtualWorld) -> Void = { _ in }
    ) -> VirtualWorld {
        var world = world(.toggle, scanOwner, change)
        adjust(&world)
        world.start()
        world.run(for: .seconds(120))
        return world
    }

    private func recovery(_ world: VirtualWorld) -> Duration {
        world.reports.cycles.compactMap(\.action.summary).first?.recovery ?? .seconds(1000)
    }

    private static let told = Report.Step.scanAborted(heard: .seconds(3))

    @Test("a directed scan hears the access point, the owner's scan is aborted, and the link is back early")
    func fastReconnect() throws {
        let world = toggled()
        #expect(world.orders.directedScans == [Sample.accessPoint])
        #expect(world.orders.abortedScans == [Sample.accessPoint])
        #expect(world.reports.steps.contains(Self.told))
        #expect(world.reports.outcome == .healthy)
        #expect(recovery(world) < .milliseconds(500), "\(recovery(world))")
        // The link is lowered after the directed scan, which takes a tenth of a second.
        let lowered = try #require(world.orders.lowered.first)
        #expect(lowered > .milliseconds(100) && lowered < .milliseconds(120), "\(lowered)")
    }

    @Test("without fast reconnect the owner's scan takes its time, and is not reported")
    func whole() throws {
        let world = toggled { $0.fastReconnects = false }
        #expect(
            world.orders.directedScans.isEmpty && world.orders.abortedScans.isEmpty
                && !world.reports.steps.contains(Self.told))
        #expect(world.reports.outcome == .healthy)
        #expect(recovery(world) >= SimulatedScans.sweep)
        #expect(try #require(world.orders.lowered.first) < .milliseconds(10))
    }

    @Test(
        "fast reconnect is used only with owners known to support it",
        arguments: [nil] + Owner.allCases.map(Optional.init))
    func owners(owner: Owner?) {
        let scanOwner = owner.flatMap { owner in
            let station: Owner = owner == .iwd ? .iwd : .supplicant
            return Ownership(
                station: .init([.init(station, "")]), network: .init([.init(owner, "")])
            ).scanOwner
        }
        let isHelped = owner != nil && owner != .iwd && owner != .connman
        #expect((scanOwner != nil) == isHelped)
        #expect(toggled(scanOwner).orders.abortedScans.isEmpty != isHelped)
    }

    @Test("if no owner of the station is known, or two conflict, there is no fast reconnect")
    func disputed() {
        let supplicant = Ownership.Claim(.supplicant, "")
        let manager = Ownership.Claim(.networkManager, "")
        #expect(Ownership(station: .init([supplicant]), network: .init()).scanOwner == .supplicant)
        #expect(
            Ownership(station: .init([supplicant]), network: .init([manager])).scanOwner == .networkManager)
        for (station, network) in [
            (Ownership.Part(), Ownership.Part([manager])),
            (.init([supplicant, .init(.iwd, "")]), .init()), (.init([.init(.iwd, "")]), .init([manager])),
            (.init([supplicant], isComplete: false), .init()),
            (.init([supplicant]), .init([manager], isComplete: false)),
            (.init([supplicant]), .init([manager, .init(.connman, "")])),
        ] {
            #expect(Ownership(station: station, network: network).scanOwner == nil)
        }
    }

    @Test(
        "if the time down is too long for the owner or the kernel, there is no fast reconnect",
        arguments: [
            (Owner.supplicant, 20, true), (.supplicant, 21, false), (.networkManager, 5, true),
            (.networkManager, 6, false),
        ])
    func downTime(owner: Owner, seconds: Int, isShort: Bool) {
        #expect(toggled(owner) { $0.delay = .seconds(seconds) }.orders.directedScans.isEmpty != isShort)
    }

    @Test("with a weak or unknown signal there is no fast reconnect")
    func signal() {
        for (signal, isShort) in [(Int8(-70), true), (-71, false), (nil, false)] as [(Int8?, Bool)] {
            #expect(
                toggled(in: { $0.link.signal = signal }).orders.directedScans.isEmpty != isShort,
                "\(String(describing: signal))")
        }
    }

    @Test("without a known SSID or frequency there is no fast reconnect")
    func nameless() {
        #expect(toggled(in: { $0.link.ssid = nil }).orders.directedScans.isEmpty)
        #expect(toggled(in: { $0.link.frequency = nil }).orders.directedScans.isEmpty)
    }

    @Test("with another method, or without a settle time, there is no fast reconnect")
    func methods() {
        #expect(toggled { $0.methods = [.rfkill] }.orders.directedScans.isEmpty)
        #expect(toggled { $0.methods = [.rebind] }.orders.directedScans.isEmpty)
        #expect(toggled { $0.settle = .zero }.orders.directedScans.isEmpty)
    }

    @Test("a gentler method that did not help prevents fast reconnect, an unavailable method does not")
    func ladder() {
        for (isThere, isShort) in [(true, false), (false, true)] {
            var world = world(.reconnect) {
                $0.methods = [.reassociate, .bounce]
                $0.fall = 1
                $0.settle = .seconds(5)
            }
            world.hosts.gatewayAnswers = false
            if !isThere { world.refused[.reassociate] = Failure(kind: .unavailable, description: "none") }
            world.start()
            world.run(for: .seconds(120))
            #expect(world.orders.lowered.count == 1 && world.orders.abortedScans.isEmpty != isShort)
        }
    }

    @Test("only the first bounce of an outage has fast reconnect")
    func outage() {
        var world = world(.watch) {
            $0.interval = .seconds(60)
            $0.fall = 1
            $0.settle = .seconds(5)
        }
        world.hosts.gatewayAnswers = false
        world.start()
        world.run(for: .seconds(900))
        #expect(world.orders.lowered.count > 1 && world.orders.abortedScans.count == 1)
    }

    @Test("a bounce that a user requests in an outage has fast reconnect too")
    func user() {
        var world = world(.watch) {
            $0.fall = 1
            $0.settle = .seconds(5)
        }
        world.hosts.gatewayAnswers = false
        world.start()
        world.run(for: .seconds(40))
        #expect(world.orders.lowered.count == 1 && world.orders.abortedScans.count == 1)
        world.tell(.bounceRequested(delay: nil))
        world.run(for: .seconds(60))
        #expect(world.orders.lowered.count == 2 && world.orders.abortedScans.count == 2)
    }

    @Test(
        "after a fault of the association there is no fast reconnect",
        arguments: [OperationalState.dormant, .up])
    func association(state: OperationalState) {
        var toggler = Toggler(runMode: .toggle, settings: Settings(), seed: 1)
        _ = toggler.handle(.started(isPresent: true), at: .seconds(100))
        let kernelState = Sample.kernelState(link: Sample.link(state: state))
        _ = toggler.handle(.kernelStateRead(1, kernelState), at: .seconds(100))
        var effects: [Effect] = []
        for step in 1...20 where toggler.state.name != "preparing" {
            effects = toggler.handle(
                .probeFinished(toggler.state.outstanding.first ?? -1, Sample.silent),
                at: .seconds(100 + Double(step) / 10))
            if let number = effects.compactMap(\.kernelState).first {
                effects = toggler.handle(
                    .kernelStateRead(number, kernelState), at: .seconds(100 + Double(step) / 10))
            }
        }
        effects += toggler.handle(.snapshotTaken(Snapshot(scanOwner: .supplicant)), at: .seconds(110))
        #expect(toggler.state.name == (state == .up ? "preparing" : "arming"))
        #expect(effects.contains(where: \.isDirectedScanPending) == (state == .up))
    }

    @Test("the link is lowered even if the directed scan fails, or does not end in time")
    func notHeard() throws {
        let busy = Failure(kind: .busy, code: 16, description: "Device or resource busy")
        for (answer, latest) in [(Event.directedScanDone(busy), 120), (nil, 620)] as [(Event?, Int)] {
            let world = toggled(in: { $0.scans.directedScanAnswer = answer })
            #expect(world.reports.outcome == .healthy && world.orders.abortedScans.isEmpty)
            #expect(try #require(world.orders.lowered.first) < .milliseconds(latest))
        }
    }

    @Test(
        "a scan is not aborted if the kernel has not heard the access point since the directed scan"
    )
    func forgotten() {
        for ago in [nil, .milliseconds(3200)] as [Duration?] {
            let world = toggled(in: { $0.scans.heardAgo = ago })
            #expect(world.orders.abortedScans.count == 1 && world.reports.outcome == .healthy)
            #expect(!world.reports.steps.contains { if case .scanAborted = $0 { true } else { false } })
            #expect(recovery(world) >= SimulatedScans.sweep)
        }
    }

    private static let other = SSID("other".utf8)

    @Test(
        "only a scan of many channels for this network, or for any, is aborted",
        arguments: [
            (Sample.sweep, true),
            (Scan(frequencies: [2412, 2437, 2462, 5180]), true),
            (Scan(frequencies: [2412, 2437, 2462]), false),
            (Scan(frequencies: [5180, 5200, 5220, 5240]), false),
            (Scan(frequencies: []), false),
            (Scan(frequencies: Sample.sweep.frequencies, names: [Sample.accessPoint.ssid]), true),
            (Scan(frequencies: Sample.sweep.frequencies, names: [other]), false),
            (Scan(frequencies: Sample.sweep.frequencies, names: [Sample.accessPoint.ssid, other]), false),
        ])
    func scans(scan: Scan, isAborted: Bool) {
        #expect(toggled(in: { $0.scans.afterRaise = scan }).orders.abortedScans.isEmpty != isAborted)
    }

    @Test("only the first scan after the raise is taken for the owner's scan for its network")
    func first() {
        var world = world()
        world.scans.afterRaise = Scan(frequencies: [2412])
        world.start()
        world.run(until: "awaiting link")
        world.run(for: .milliseconds(10))
        world.tell(.scanBegun(Sample.sweep))
        world.run(for: .seconds(60))
        #expect(world.orders.abortedScans.isEmpty && world.reports.outcome == .healthy)

        var twice = self.world()
        twice.start()
        twice.run(until: "awaiting link")
        twice.run(for: .milliseconds(10))
        twice.tell(.scanBegun(Sample.sweep))
        twice.run(for: .seconds(60))
        #expect(twice.orders.abortedScans.count == 1)
    }

    @Test("a scan counts if it is announced after the raise began, even before the raise is acknowledged")
    func early() {
        var world = world { $0.delay = .seconds(3) }
        world.scans.afterRaise = nil
        world.start()
        world.run(until: "keeping down")
        world.tell(.scanBegun(Sample.sweep))
        #expect(world.orders.abortedScans.isEmpty)
        world.run(until: "raising")
        world.tell(.scanBegun(Sample.sweep))
        #expect(world.orders.abortedScans.count == 1)
    }

    @Test("a scan of an interface that has disappeared does not count")
    func gone() throws {
        var world = world()
        world.scans.afterRaise = nil
        world.start()
        world.run(until: "awaiting link")
        let kernelState = try #require(world.toggler.state.bounce?.pendingQuery)
        world.tell(
            .kernelStateFailed(
                kernelState, Failure(kind: .noSuchDevice, code: 19, description: "No such device")))
        world.tell(.scanBegun(Sample.sweep))
        #expect(world.orders.abortedScans.isEmpty)
    }

    @Test(
        "once the link is operational, the kernel is made to resolve the earlier gateways anew"
    )
    func resolveNeighbours() {
        let world = toggled { $0.fastReconnects = false }
        #expect(world.orders.resolvedNeighbours == [[Sample.gateway]])
        #expect(toggled(in: { $0.link.gateways = [] }).orders.resolvedNeighbours.isEmpty)
        #expect(toggled { $0.settle = .zero }.orders.resolvedNeighbours.isEmpty)
    }

    @Test("a link that is set down during the directed scan is left alone")
    func setDown() {
        var world = world()
        world.scans.directedScanAnswer = nil
        world.start()
        while world.orders.directedScans.isEmpty { world.run(for: .milliseconds(1)) }
        world.link.isUp = false
        world.tell(.linkChanged(Sample.link(isUp: false)))
        world.run(for: .seconds(60))
        #expect(world.orders.lowered.isEmpty && world.reports.outcome == .refused(.administrativelyDown))
    }

    @Test("a dry run does not scan and changes nothing")
    func dryRun() {
        let world = toggled { $0.isDryRun = true }
        #expect(world.orders.directedScans.isEmpty && world.orders.lowered.isEmpty)
    }

    @Test("a program told to end does not wait for its directed scan, and aborts no scan after the raise")
    func terminated() {
        var world = world()
        world.start()
        while world.orders.directedScans.isEmpty { world.run(for: .milliseconds(1)) }
        world.tell(.terminationRequested)
        #expect(world.reports.outcome == .interrupted && world.orders.lowered.isEmpty)

        var late = self.world()
        late.scans.afterRaise = nil
        late.start()
        late.run(until: "keeping down")
        late.tell(.terminationRequested)
        late.tell(.scanBegun(Sample.sweep))
        late.run(for: .seconds(60))
        #expect(late.orders.abortedScans.isEmpty && late.reports.outcome == .interrupted)
    }
}
