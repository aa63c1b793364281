import Foundation
import Model
import Testing

@testable import Reporting
@testable import Toggling

/// wifi-toggler-output(5) is written by hand, so these tests compare its lists of words with the program's.
@Suite("The lists of wifi-toggler-output(5)") struct ManualOutputTests {
    private static let start = Instant(nanoseconds: 0)
    private static let page =
        (try? String(
            contentsOf: URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent().appending(path: "man/wifi-toggler-output.5"), encoding: .utf8))
        ?? ""

    /// The lines of the page between the line `begin` and the next line that starts with `end`.
    private static func lines(from begin: String, to end: String) -> [Substring] {
        let rest = page.split(separator: "\n").drop { $0 != begin }.dropFirst()
        return Array(rest.prefix { !$0.hasPrefix(end) })
    }

    /// The words that this macro of mdoc(7) marks in these lines.
    private static func words(_ macro: String, in lines: [Substring]) -> [String] {
        lines.flatMap { line in
            let words = line.split { " ,;".contains($0) }.map(String.init)
            guard let place = words.firstIndex(where: { $0 == macro || $0 == "." + macro }) else {
                return [String]()
            }
            return words[(place + 1)...].filter { $0.contains { $0.isLetter } && $0 != macro && $0 != "Ns" }
        }
    }

    /// The words in the list items that begin with this macro.
    private static func items(_ macro: String, in lines: [Substring]) -> [String] {
        words(macro, in: lines.filter { $0.hasPrefix(".It \(macro) ") })
    }

    private static var cycle: Record {
        let verdict = Verdict(.sick, layer: .gateway, reason: .gatewaySilent([.v4(0xc000_0201)]))
        return Record(
            .cycle(
                CycleReport(
                    verdict: verdict, action: .none,
                    change: HealthChange(before: .healthy, after: .sick, streak: 1), next: nil)),
            about: "wlan0", at: start)
    }

    @Test("the keys of run --json are those of the object, each once")
    func keys() {
        let keys = Self.items("Va", in: Self.lines(from: ".Sh JSON", to: ".Ss list"))
        #expect(Set(keys) == Set(Self.cycle.json { _ in "T" }.keys))
        #expect(Set(keys).count == keys.count)
    }

    @Test("the events of status --watch are those of the program, each once")
    func events() {
        let events = Self.items("Ql", in: Self.lines(from: ".Ss status \\-\\-watch", to: ".Ss"))
        #expect(events.sorted() == Record.Kind.allCases.filter(\.isEvent).map(\.rawValue).sorted())
    }

    @Test("the events of hooks are those of the program, each once")
    func hookEvents() {
        let events = Self.items("Ql", in: Self.lines(from: ".Sh HOOKS", to: ".El"))
        #expect(events.sorted() == HookEvent.allCases.map(\.rawValue).sorted())
    }

    /// The values on lines of their own, which may have several words.
    private static func values(in lines: [Substring]) -> [String] {
        lines.filter { $0.hasPrefix(".Ql ") }.map {
            $0.dropFirst(".Ql ".count).trimmingCharacters(in: CharacterSet(charactersIn: " ,;."))
        }
    }

    @Test("the names of doctor's findings are those of the program")
    func findings() {
        let named = Self.words("Bq", in: Self.lines(from: ".Sh THE DOCTOR", to: ".Sh")).filter { $0 != "Ql" }
        #expect(Set(named) == Set(SetupFindingTextTests.kinds.map { SetupFinding($0, of: "wlan0").name }))
    }

    @Test("the values of the key repair are those of the program, each once")
    func repairs() {
        let finished: [FinishedBounce] = [
            .gone, .leftDown, .notRaised(Failure(kind: .other, description: "no")),
            .finished(wasDown: true, Restoration()), .finished(wasDown: false, Restoration()),
        ]
        let words = finished.compactMap { $0.json(interface: "wlan0", time: "T")["repair"]?.string }
        #expect(Self.values(in: Self.lines(from: ".Ss repair", to: ".Ss")).sorted() == words.sorted())
    }

    @Test("the values of the key state are those of the program, each once")
    func states() throws {
        let diagram = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Sources/Toggling/Machine/TogglerState.swift")
        let source = try String(contentsOf: diagram, encoding: .utf8)
        let states = Set(source.matches(of: /(?m)^\/\/\/     ([a-z ]+?) +→/).map { String($0.1) })
        let values = Self.values(in: Self.lines(from: ".It Va state", to: ".It"))
        // No state follows `finished`, so it has no line. If there is no toggler any more, the state is `ended`.
        #expect(values.sorted() == states.union(["finished", "ended"]).sorted())
    }

    @Test("the values of the key action are those of the program")
    func actions() {
        let lines = Self.lines(from: ".It Va action", to: ".It Va")
        let methods: [[CycleReport.Action]] = [
            [.none, .raised(Self.summary([]))], [.bounced(Self.summary([.bounce]))],
            [.bounced(Self.summary([.owner]))], [.held(.absent), .skipped(.absent), .refused(.absent)],
            [.failed(.lowering, Failure(kind: .other, description: "no"))],
        ]
        let words = methods.flatMap { $0 }.map(\.word)
        let rebooting = RecordedAction(rebooting: Self.cycle.verdict!).action
        #expect(Set(Self.words("Ql", in: lines)) == Set(words + [rebooting]))
    }

    private static func summary(_ methods: [Model.Method]) -> BounceSummary {
        BounceSummary(down: .seconds(3), recovery: nil, restoration: Restoration(), methods: methods)
    }

    @Test("the reasons for the time of the next check are those of the program")
    func reasonsForTheNextCheck() {
        let words = Self.words("Ql", in: Self.lines(from: ".It Va next", to: ".It Va"))
        #expect(Set(words) == Set(NextCheck.Why.allCases.map(\.rawValue)))
    }

    @Test("the reasons of bounce_held_total are the kinds of reasons not to bounce")
    func reasonsNotToBounce() {
        let lines = Self.lines(from: ".It Va bounce_held_total Ns { Ns Ar reason Ns }", to: ".It Va")
        let words = Self.words("Ql", in: lines)
        #expect(Set(words) == Set(NoBounceReason.Kind.allCases.map(\.rawValue)))
        #expect(words.count == NoBounceReason.Kind.allCases.count)
    }

    @Test("each metric is on the page")
    func metrics() {
        let lines = Self.lines(from: ".Sh METRICS", to: ".Sh")
        let named = Set(Self.items("Va", in: lines))
        for family in MetricFamily.all { #expect(named.contains(family.name), "\(family.name)") }
    }

    @Test("each key of the objects of list, status and history is on the page")
    func keysOfCommands() {
        let status = StatusTests.fields(of: "Interface") + StatusTests.fields(of: "Action")
        for (command, keys) in [
            ("list", Self.keysOfList), ("status", status), ("history", StatusTests.fields(of: "Record")),
        ] {
            let lines = Self.lines(from: ".Ss \(command)", to: command == "history" ? ".Sh" : ".Ss")
            let named = Set(Self.words("Va", in: lines))
            for key in keys { #expect(named.contains(key), "\(command): \(key)") }
        }
    }

    /// All keys of an object of `list`, and those of the objects in it.
    private static var keysOfList: [String] {
        let gateway = IPAddress.v4(0xc000_0201)
        let state = KernelState(
            link: Link(
                index: InterfaceIndex(rawValue: 3), name: "wlan0", isUp: true, hasCarrier: true,
                operationalState: .up),
            wireless: Wireless(
                role: .station, phy: 0,
                association: Association(bssid: MACAddress([2, 0, 0, 0, 0, 1])!)),
            gateways: [Gateway(address: gateway)])
        let entry = InterfaceTable.Entry(state, Ownership(), driver: DriverName("brcmfmac", on: "sdio"))
        return keys(below: InterfaceTable.json(entry))
    }

    private static func keys(below json: JSONText) -> [String] {
        switch json {
        case .object(let members): members.flatMap { [$0.0] + keys(below: $0.1) }
        case .array(let elements): elements.flatMap(keys(below:))
        default: []
        }
    }
}
