import Foundation
import Model
import Testing

@testable import Reporting
@testable import Toggling

@Suite("Texts of the reports") struct TextTests {
    private static var kernelState: KernelState {
        KernelState(
            link: Link(
                index: InterfaceIndex(rawValue: 7), name: "wlan0", isUp: true, hasCarrier: true,
                operationalState: .up),
            wireless: Wireless(
                role: .station, phy: 0,
                association: Association(bssid: MACAddress([2, 0, 0, 0, 0, 0])!, ssid: SSID("lab".utf8))),
            addresses: [
                InterfaceAddress(address: IPAddress("10.77.0.2")!, prefixLength: 24, reachesBeyondLink: true)
            ],
            gateways: [Gateway(address: IPAddress("10.77.0.1")!, neighbour: Neighbour(state: .stale))])
    }

    @Test(
        "a duration is written in two units at most",
        arguments: [
            (Duration.zero, "0ms"), (.microseconds(20), "<1ms"), (.milliseconds(850), "850ms"),
            (.milliseconds(1500), "1.5s"), (.seconds(3), "3s"), (.milliseconds(59_999), "59s"),
            (.seconds(60), "1m"), (.seconds(125), "2m 5s"), (.seconds(3780), "1h 3m"),
            (.seconds(187_200), "2d 4h"), (.seconds(Int64.max), "106751991167300d 15h"),
        ])
    func durations(duration: Duration, text: String) { #expect(duration.text == text) }

    @Test("the JSON is read back the same by another JSON reader", arguments: 0..<200)
    func json(seed: Int) throws {
        var random = SplitMix64(state: UInt64(seed))
        let scalars = (0..<20).compactMap { _ in Unicode.Scalar(UInt32.random(in: 0...0x2ff, using: &random))
        }
        let text = String(String.UnicodeScalarView(scalars))
        let number = Int64.random(in: -5_000_000...5_000_000, using: &random)
        let line = JSONText.object([
            (text, .string(text)), ("number", .thousandths(number)), ("list", .array([.null, .bool(true)])),
        ]).line
        #expect(!line.utf8.contains(UInt8(ascii: "\n")))
        let read = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        #expect(read[text] as? String == text || text == "number" || text == "list")
        let value = try #require(read["number"] as? Double)
        #expect(abs(value - Double(number) / 1000) < 1e-9)
    }

    @Test("the JSON of a cycle has the documented keys, in their order")
    func keys() throws {
        let report = CycleReport(
            verdict: Verdict(.sick, layer: .gateway, reason: .gatewaySilent([]), evidence: [.radio(.none)]),
            action: .none, change: HealthChange(before: .healthy, after: .healthy, streak: 1), next: nil)
        let record = Record(.cycle(report), about: "wlan0", at: .boot).json(wallTime: { _ in "N" })
        guard case .object(let members) = record else {
            Issue.record("not an object")
            return
        }
        #expect(
            members.map(\.0) == [
                "time", "interface", "verdict", "layer", "reason", "evidence", "action", "methods", "method",
                "down_ms", "recovery_ms", "lost", "restored", "refused", "next", "degraded",
            ])
        guard case .array(let evidence) = members[5].1, case .object(let row)? = evidence.first else {
            Issue.record("no evidence")
            return
        }
        #expect(row.map(\.0) == ["probe", "result", "rtt_ms", "detail"])
    }

    @Test("the table of interfaces is aligned, and shows state, owner and master")
    func table() {
        var down = Self.kernelState
        down.link.isUp = false
        let owned = Ownership(
            station: Ownership.Part([Ownership.Claim(.supplicant, "process 7")]), network: Ownership.Part())
        let lines = InterfaceTable.table([
            InterfaceTable.Entry(Self.kernelState, owned), InterfaceTable.Entry(down, Ownership()),
        ])
        #expect(lines.count == 3)
        #expect(lines[1].contains("wlan0") && lines[1].contains("lab") && lines[1].contains("10.77.0.2/24"))
        let column = lines[0].range(of: "STATE")!.lowerBound.utf16Offset(in: lines[0])
        #expect(lines[1].dropFirst(column).hasPrefix("up"))
        #expect(lines[2].dropFirst(column).hasPrefix("down"))
        #expect(lines[0].hasSuffix("OWNER"))
        #expect(lines[1].hasSuffix("wpa_supplicant, nobody"))
        #expect(lines[2].hasSuffix("unknown, unknown"), "what could not be looked at is not nobody")
        var port = down
        port.link.port = Port(
            master: InterfaceIndex(rawValue: 9), masterName: "bond0", kind: .bond, traffic: .none)
        let entry = InterfaceTable.Entry(port, owned)
        let masters = InterfaceTable.table([InterfaceTable.Entry(down, owned), entry])
        #expect(masters[0].hasSuffix("  MASTER"))
        #expect(masters[1].hasSuffix("  -") && masters[2].hasSuffix("  bond0"))
        #expect(InterfaceTable.json(entry)["master"]?.string == "bond0")
        #expect(InterfaceTable.json(InterfaceTable.Entry(down, owned)).line.contains(#""master":null"#))
    }

    @Test("with --verbose the table has each driver, the methods that its rule allows, and the rule's place")
    func drivers() throws {
        var rule = DriverRule(DriverName("brcmfmac", on: "sdio"), file: "/d/drivers.conf", line: 15)
        rule.fault = "the firmware may hang"
        rule.forbidden = [.rfkill, .rebind]
        rule.powerSave = .off
        let driver = DriverName("brcmfmac", on: "sdio")
        let entries = [
            InterfaceTable.Entry(Self.kernelState, Ownership(), driver: driver, rule: rule),
            InterfaceTable.Entry(Self.kernelState, Ownership(), driver: DriverName("iwlwifi", on: "pci")),
            InterfaceTable.Entry(Self.kernelState, Ownership()),
        ]
        let lines = InterfaceTable.table(entries, isVerbose: true)
        #expect(lines.count == 1 + 3 + 5 + 1 + 1)
        #expect(
            lines[2...6] == [
                "    driver: brcmfmac on sdio, rule at /d/drivers.conf:15",
                "      allowed: reassociate, owner, restart-owner, bounce, reset, hook, reboot",
                "      forbidden: rfkill, rebind",
                "      power-save: off",
                "      fault: the firmware may hang",
            ])
        #expect(lines[8] == "    driver: iwlwifi on pci, no rule: all methods are allowed")
        #expect(lines[10] == "    driver: none (a virtual interface)")
        #expect(InterfaceTable.table(entries).count == 4)
        let json = InterfaceTable.json(entries[0])["driver"]
        #expect(json?.texts("forbidden") == ["rfkill", "rebind"])
        #expect(json?["power_save"]?.string == "off")
        #expect(json?["rule"]?.string == "/d/drivers.conf:15" && json?["source"]?.string == nil)
        #expect(InterfaceTable.json(entries[1])["driver"]?.texts("forbidden") == [])
        #expect(InterfaceTable.json(entries[2]).line.hasSuffix(#","driver":null}"#))
    }

    @Test("a service without interface names logs which interfaces it watches, which it does not, and why")
    func selection() {
        func interface(
            _ index: Int32, _ name: String, _ role: Wireless.Role?, master: Int32? = nil
        ) -> (Link, Wireless?) {
            var link = Self.kernelState.link
            (link.index, link.name) = (InterfaceIndex(rawValue: index), name)
            link.port = master.map {
                Port(master: InterfaceIndex(rawValue: $0), kind: .bond, traffic: .masters)
            }
            return (link, role.map { Wireless(role: $0, phy: 0) })
        }
        #expect(SelectionText([]).description == "no interface is named; watching none")
        let some = [
            interface(4, "wlan1", .station, master: 5), interface(3, "wlan0", .station),
            interface(6, "ap0", .accessPoint), interface(5, "bond0", nil), interface(1, "lo", nil),
        ]
        #expect(
            SelectionText(some).description
                == "no interface is named; watching wlan0, wlan1 (a port of bond0); leaving out "
                + "ap0 (access point, not a station), bond0, lo (not Wi-Fi)")
        let many = (10...20).map { interface($0, "veth\($0)", nil) }
        #expect(SelectionText(many).description.hasSuffix("veth14, veth15 and 5 more (not Wi-Fi)"))
    }

    @Test("the evidence about a port begins with its master, and says whether traffic passes")
    func port() {
        let (master, upper) = (InterfaceIndex(rawValue: 9), InterfaceIndex(rawValue: 10))
        var port = Port(master: master, masterName: "bond0", kind: .bond, traffic: .none)
        #expect(Evidence.port(port).row.detail == "bond0 (bond), no traffic passes through this port")
        port.traffic = .masters
        port.upper = Port.Device(index: upper, name: "br0")
        #expect(
            Evidence.port(port).row.detail
                == "bond0 (bond), its traffic passes through this port, addresses on br0")
        #expect(Evidence.port(port).row.probe == "master")
        port = Port(master: master, kind: .openvswitch, traffic: .unknown)
        #expect(
            Evidence.port(port).row.detail
                == "index 9 (Open vSwitch), it is not known which traffic passes through this port")
    }

    @Test("the table of evidence is aligned, with each probe, its result, round trip and detail")
    func evidence() {
        let gateway = IPAddress("192.0.2.1")!
        let lines = EvidenceTable.lines([
            .radio(.none),
            .probe(.icmp(.address(gateway)), .answered(roundTrip: .milliseconds(12), detail: "64 bytes")),
            .probe(.tcp(.address(gateway), port: 443), .unanswered(detail: "no answer in 2s")),
            .gateways([]),
        ])
        #expect(
            lines == [
                "  PROBE                   RESULT   ROUND TRIP  DETAIL",
                "  radio                   ok       -           not blocked",
                "  icmp 192.0.2.1          ok       12ms        64 bytes",
                "  tcp 192.0.2.1 port 443  failed   -           no answer in 2s",
                "  gateway                 unknown  -           none",
            ])
        #expect(EvidenceTable.lines([]).isEmpty, "nothing was asked")
    }
}
