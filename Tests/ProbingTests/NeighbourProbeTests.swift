import Model
import TestSupport
import Testing

@testable import Probing

/// A fake neighbour table, and what the prober reported.
@MainActor final class NeighbourScene {
    var verified: ((Result<Void, Failure>) -> Void)?
    var lookedUp: ((Result<Neighbour?, Failure>) -> Void)? {
        didSet { resultsAtLookUp = results.count }
    }
    /// How many reports there were when the table was read; nil: it was not read.
    private(set) var resultsAtLookUp: Int?
    /// The result of a look-up, given at once; nil: there is none until `lookedUp` is called.
    var entry: Result<Neighbour?, Failure>?
    var results: [ProbeResult] = []
    private(set) lazy var prober = Prober(
        neighbours: Prober.NeighbourTable(
            verify: { [unowned self] _, _, done in verified = done },
            lookUp: { [unowned self] _, _, done in
                if let entry { done(entry) } else { lookedUp = done }
            }))

    let gateway = IPAddress("192.0.2.1")!
    let index = InterfaceIndex(rawValue: 3)
    let mac = MACAddress([2, 0, 0, 0, 1, 0])

    func ask(timeout: Duration = .seconds(20)) {
        let request = ProbeRequest(id: 1, question: .neighbour(gateway), timeout: timeout)
        prober.start(request, on: index, interfaceName: "wlan0") { self.results.append($0) }
    }

    func announce(_ state: Neighbour.State, confirmed: Duration? = nil) {
        prober.neighbourChanged(
            index, gateway, Neighbour(state: state, macAddress: mac, confirmed: confirmed))
    }

    /// The case and text of the result, if it has come.
    func result() async -> String {
        guard await eventually({ !results.isEmpty }) else { return "nothing was said within 20 s" }
        return switch results[0] {
        case .answered(_, let detail): "answered: \(detail)"
        case .unanswered(let detail): "unanswered: \(detail)"
        case .neverAnswered(let detail): "never answered: \(detail)"
        case .refuted(let layer, _, let detail): "refuted (\(layer)): \(detail)"
        case .unknown(let failure): "unknown: \(failure.description)"
        }
    }
}

@MainActor @Suite(.timeLimit(.minutes(10)))
struct NeighbourProbeTests {
    let scene = NeighbourScene()

    @Test("a neighbour that becomes reachable has answered, once, and not inside a call")
    func reachable() async {
        scene.ask()
        scene.verified?(.success(()))
        scene.announce(.probe)
        scene.announce(.reachable)
        scene.announce(.reachable)
        scene.announce(.failed)
        #expect(scene.results.isEmpty)
        #expect(await scene.result() == "answered: 02:00:00:00:01:00 is reachable")
        #expect(scene.results.count == 1)
    }

    @Test("an answer may arrive before the acknowledgement of the request")
    func early() async {
        scene.ask()
        scene.announce(.reachable, confirmed: .zero)
        #expect(await scene.result() == "answered: 02:00:00:00:01:00 is reachable")
    }

    @Test("a neighbour that becomes failed is unanswered")
    func failed() async {
        scene.ask()
        scene.verified?(.success(()))
        scene.announce(.failed)
        #expect(await scene.result() == "unanswered: 192.0.2.1 did not answer")
    }

    @Test("a notification that belongs to an earlier request has no effect")
    func stale() async {
        scene.ask(timeout: .milliseconds(50))
        scene.announce(.failed)
        scene.verified?(.success(()))
        scene.announce(.reachable, confirmed: .seconds(3600))
        scene.announce(.delay)
        scene.prober.neighbourChanged(
            InterfaceIndex(rawValue: 4), scene.gateway, Neighbour(state: .reachable))
        scene.prober.neighbourChanged(
            scene.index, IPAddress("192.0.2.2")!, Neighbour(state: .reachable))
        #expect(
            await eventually { scene.resultsAtLookUp != nil }, "the deadline asks the table once more")
        // On a busy machine the look-up may time out before this line: so compare the count from the look-up.
        #expect(scene.resultsAtLookUp == 0)
    }

    @Test(
        "at the deadline the neighbour table is queried once more",
        arguments: [
            (.success(Neighbour(state: .reachable, confirmed: .zero)), "answered: 192.0.2.1 is reachable"),
            (
                .success(Neighbour(state: .reachable, confirmed: .seconds(3600))),
                "unanswered: 192.0.2.1 did not answer"
            ),
            (.success(Neighbour(state: .reachable)), "unanswered: 192.0.2.1 did not answer"),
            (.success(Neighbour(state: .incomplete)), "unanswered: 192.0.2.1 did not answer"),
            (.success(Neighbour(state: .failed)), "unanswered: 192.0.2.1 did not answer"),
            (
                .success(Neighbour(state: .permanent)),
                "unknown: the neighbour entry of 192.0.2.1 is fixed, so the kernel does not probe it"
                    + " (use another probe, such as icmp)"
            ),
            (.success(nil), "unknown: the neighbour entry of 192.0.2.1 was deleted meanwhile"),
            (
                .failure(Failure(kind: .lost, description: "No buffer space available")),
                "unknown: No buffer space available"
            ),
        ] as [(Result<Neighbour?, Failure>, String)])
    func deadline(entry: Result<Neighbour?, Failure>, expected: String) async {
        // The table answers at once: a later task on the main actor might run after the look-up's time limit.
        scene.entry = entry
        scene.ask(timeout: .milliseconds(20))
        scene.verified?(.success(()))
        #expect(await scene.result() == expected)
    }

    @Test("a request that the kernel refuses is unknown, with the kernel's error text")
    func refused() async {
        scene.ask()
        scene.verified?(
            .failure(Failure(kind: .notPermitted, code: 1, description: "Operation not permitted")))
        #expect(await scene.result() == "unknown: Operation not permitted")
    }

    @Test("a neighbour that the kernel is already probing is waited for")
    func busy() async {
        scene.ask()
        scene.verified?(.failure(Failure(kind: .busy, code: 16, description: "Device or resource busy")))
        scene.announce(.reachable)
        #expect(await scene.result() == "answered: 02:00:00:00:01:00 is reachable")
    }

    @Test("a kernel that does not answer does not block the probe", arguments: [false, true])
    func silence(isAcknowledged: Bool) async {
        scene.ask(timeout: .milliseconds(20))
        if isAcknowledged { scene.verified?(.success(())) }
        #expect(await scene.result() == "unknown: the kernel did not answer")
    }

    @Test("a cancelled probe reports nothing, even if its result was already known")
    func cancelled() async {
        scene.ask()
        scene.announce(.reachable)
        scene.prober.cancel(1, on: scene.index)
        scene.announce(.reachable)
        scene.verified?(.failure(Failure(kind: .other, description: "late")))
        scene.ask()
        scene.verified?(.failure(Failure(kind: .other, description: "the second question")))
        #expect(await scene.result() == "unknown: the second question")
        #expect(scene.results.count == 1)
    }
}
