import Model
import Testing

@testable import Invocation

@Suite("Which section, or option of the command line, decides")
struct ConfigurationLayersTests {
    @Test("if two sections match an interface, the more specific one wins, in any order in the file")
    func specificity() throws {
        let text = """
            [mac=02:00:00:00:00:01]
            delay = 5s
            [wlan0]
            delay = 4s
            rise = 4
            [wl*]
            delay = 3s
            rise = 3
            fall = 3
            [wlan?]
            fall = 7
            [default]
            delay = 2s
            rise = 2
            fall = 2
            budget = 2
            """
        let settings = try SampleFile.settings(text)
        #expect(settings.delay == .seconds(5))
        #expect(settings.rise == 4)
        #expect(settings.fall == 7)
        #expect(settings.budget == 2)
        #expect(try SampleFile.settings(text, mac: [2, 0, 0, 0, 0, 2]).delay == .seconds(4))
        #expect(try SampleFile.settings(text, for: "wlp2s0", mac: [2, 0, 0, 0, 0, 2]).delay == .seconds(3))
        #expect(try SampleFile.settings(text, for: "eth0", mac: [2, 0, 0, 0, 0, 2]).delay == .seconds(2))
    }

    @Test(
        "[mac=] matches the current or the permanent address; if two sections match, the later wins")
    func addresses() throws {
        let inUse = MACAddress([2, 0, 0, 0, 0, 1])
        let own = MACAddress([2, 0, 0, 0, 0, 2])
        let text = """
            [mac=02:00:00:00:00:02]
            delay = 5s
            fall = 5
            [mac=02:00:00:00:00:01]
            delay = 4s
            """
        let file = try SampleFile.parse(text)
        let request = Request(command: .run, interfaces: [], commandLine: OptionLayer())
        func settings(_ inUse: MACAddress?, _ own: MACAddress?) -> Settings {
            let link = Link(
                index: InterfaceIndex(rawValue: 1), name: "wlan0", macAddress: inUse, permanentAddress: own,
                isUp: true, hasCarrier: true, operationalState: .up)
            return request.settings(for: link, file: file)
        }
        #expect(settings(inUse, nil).delay == .seconds(4))
        #expect(settings(inUse, nil).fall == Settings().fall)
        #expect(settings(MACAddress([2, 0, 0, 0, 0, 3]), own).fall == 5)
        #expect(settings(inUse, own).delay == .seconds(4))
        #expect(settings(inUse, own).fall == 5)
        #expect(settings(nil, nil) == Settings())
    }

    @Test("the probes of one section add up, and replace those of a more general section")
    func probes() throws {
        let text = "[default]\nprobe = auto, +icmp:192.0.2.1\nprobe = tcp:a:1\n[wlan0]\nprobe = none\n"
        #expect(try SampleFile.settings(text).probes == [ProbeSpec(.none)])
        #expect(
            try SampleFile.settings(text, for: "wlan1").probes == [
                ProbeSpec(.auto), ProbeSpec(.icmp(.address(IPAddress("192.0.2.1")!)), isRequired: true),
                ProbeSpec(.tcp(.name("a"), port: 1)),
            ])
    }

    @Test("a section's backoff adjusts the backoff-max of a more general section, and the reverse")
    func backoff() throws {
        let raised = try SampleFile.settings("[default]\nbackoff-max = 10m\n[wlan0]\nbackoff = 20m\n")
        #expect(raised.backoff == .seconds(1200) && raised.backoffMaximum == .seconds(1200))
        let lowered = try SampleFile.settings("[default]\nbackoff = 20m\n[wlan0]\nbackoff-max = 10m\n")
        #expect(lowered.backoff == .seconds(600) && lowered.backoffMaximum == .seconds(600))
    }

    @Test("the command line overrides every section")
    @MainActor func commandLine() throws {
        let text = """
            [mac=02:00:00:00:00:01]
            delay = 5s
            probe = icmp
            [default]
            wait = 1s
            json = yes
            quiet = yes
            state-dir = /s
            run-dir = /r
            metrics = /m.prom
            """
        let file = try SampleFile.parse(text)
        guard
            case .perform(let request) = try Invocation.parse([
                "run", "-d", "1s", "-p", "none", "-v", "--run-dir=/x",
            ])
        else {
            Issue.record("this is a command to perform")
            return
        }
        let settings = request.settings(for: "wlan0", addresses: SampleFile.addresses, file: file)
        #expect(settings.delay == .seconds(1))
        #expect(settings.probes == [ProbeSpec(.none)])
        let merged = request.merging(file)
        #expect(merged.wait == .seconds(1))
        #expect(merged.output == Output(isJSON: true, verbosity: .verbose))
        #expect(merged.stateDirectory == "/s" && merged.runDirectory == "/x")
        #expect(merged.metricsFile?.path == "/m.prom")
        let silenced = try SampleFile.parse("[default]\nmetrics = none\nhooks-dir = none\n")
        #expect(merged.merging(silenced).metricsFile == nil)
        #expect(merged.hooksDirectory == "/etc/wifi-toggler/hooks.d")
        #expect(merged.merging(silenced).hooksDirectory == nil)
        #expect(merged.settings(for: "wlan0") == request.settings(for: "wlan0"))
        // Read again, with another file: nothing of the first one remains.
        let other = try SampleFile.parse("[default]\nwait = 2s\n")
        #expect(merged.merging(other) == request.merging(other))
        #expect(other != file)
    }

    @Test(
        "a reload applies changeable settings and names the others; without the file, defaults apply again"
    )
    func readAgain() throws {
        let text = """
            [default]
            command-user = daemon
            metrics = /m.prom
            hooks-dir = none
            state-dir = /s
            run-dir = /r
            wait = 1s
            json = yes
            quiet = yes
            log = syslog
            interval = 1h
            """
        let start = Request(command: .run, interfaces: [], commandLine: OptionLayer())
        let fresh = start.merging(try SampleFile.parse(text))
        let next = start.takingOver(fresh)
        #expect(
            next.commandUser == "daemon" && next.metricsFile?.path == "/m.prom" && next.hooksDirectory == nil)
        #expect(
            next.keys(differingFrom: fresh)
                == ["state-dir", "run-dir", "wait", "json", "quiet", "log"]
                .sorted { Self.place($0) < Self.place($1) })
        #expect(next.runDirectory == start.runDirectory && next.output == start.output)
        #expect(start.keys(differingFrom: start).isEmpty)
        let louder = try SampleFile.parse("[default]\nverbose = yes\n")
        #expect(fresh.keys(differingFrom: fresh.merging(louder)).contains("verbose"))
        #expect(fresh.merging(nil) == start)
        // The comparison must include every setting that applies to the whole run.
        let whole = Set(OptionTable.rows.filter { $0.scope == .wholeRun }.map(\.name.rawValue))
        #expect(Set(start.keys(differingFrom: fresh)) == whole.subtracting(["verbose"]))
    }

    private static func place(_ key: String) -> Int {
        OptionTable.rows.firstIndex { $0.name.rawValue == key } ?? 0
    }
}
