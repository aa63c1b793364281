import Foundation
import Glibc
import Model
import Testing
import Toggling

/// Processes are killed (SIGKILL) at random moments of bounces. Each time, the link comes up again and has
/// lost nothing. `contrib/killsweep` runs this test with more kills, and prints its output.
@Suite("Killing the program at random moments", .needsRoot)
struct KillSweepTests {
    @Test("if the program is killed at a random moment, the link is up within a second, and then restored")
    func sweep() throws {
        let environment = ProcessInfo.processInfo.environment
        let count = environment["WIFI_TOGGLER_KILLS"].flatMap { Int($0) } ?? Sweep.usualCount
        let seed = environment["WIFI_TOGGLER_SEED"].flatMap { UInt64($0) } ?? .random(in: .min ... .max)
        var sweep = try Sweep(seed: seed)
        for kill in 1...count {
            try sweep.killOne()
            #expect(sweep.complaints.isEmpty, "kill \(kill) of \(count), seed \(seed): \(sweep.complaints)")
            if !sweep.complaints.isEmpty { break }
        }
        print(sweep.histogram)
        // A kill that comes after the bounce tests nothing.
        #expect(sweep.late * (count < Sweep.usualCount ? 2 : 3) <= count, "\(sweep.histogram)")
        guard count >= Sweep.usualCount else { return }
        // After many kills of the program alone, the guard raised the link, and the time was measured.
        #expect(sweep.measured * 6 >= sweep.count(of: .program), "\(sweep.measured) of \(sweep.histogram)")
        // A busy machine may make a state too short to be hit often: with two busy processors, `verifying` was hit
        // three times of 200, and each other state 13 times or more.
        let isHit = { (least: Int) in Sweep.states.filter { sweep.count(of: $0) >= least }.count }
        #expect(isHit(1) >= Sweep.states.count - 1, "\(sweep.histogram)")
        #expect(isHit(count / 20) >= Sweep.states.count - 2, "\(sweep.histogram)")
        for victim in Sweep.Victim.allCases {
            #expect(sweep.count(of: victim) * 40 >= count, "\(sweep.histogram)")
        }
    }
}

/// One link, bounced again and again by programs that are killed meanwhile.
private struct Sweep {
    static let usualCount = 200

    enum Victim: String, CaseIterable {
        case program
        case itsGuard = "its guard"
        case both
    }

    struct Hit: Hashable {
        var victim: Victim
        /// The state in which it was killed, as the program names it.
        var state: String
    }

    private(set) var hits: [Hit: Int] = [:]
    private(set) var complaints: [String] = []
    private let seed: UInt64
    private var random: SplitMix64
    private let link: VirtualLink
    private let before: String
    private let trace: LinkTrace
    /// In seconds.
    private var slowest = 0.0
    /// How often that was measured.
    private(set) var measured = 0
    /// The longest wait between entering a state and a kill that is aimed at it, in microseconds: less after each kill
    /// that came too late, more after one that hit.
    private var windows: [String: Double] = [:]
    /// The index in `states` of the state in which the program is to be killed next. All states take turns.
    private var aim = 0

    private static let options = ["--settle", "10s", "--probe", "none", "--verbose"]
    static let states = [
        "preparing", "arming", "lowering", "keeping down", "raising", "awaiting link", "restoring",
        "verifying",
    ]
    private static let firstWindow = 500.0
    private static let longestWindow = 60_000.0
    private static let delays = ["0", "20ms", "60ms"]

    init(seed: UInt64) throws {
        self.seed = seed
        random = SplitMix64(state: seed)
        link = try VirtualLink()
        try link.makeThingsToLose()
        before = try link.state()
        trace = try LinkTrace(link)
    }

    mutating func killOne() throws {
        let isService = random.number(below: 4) == 0
        let delay = Self.delays[Int(random.number(below: UInt64(Self.delays.count)))]
        let command = isService ? "run" : "toggle"
        let program = try link.start(
            command,
            (isService ? ["--force", "--interval", "1h"] : []) + ["--delay", delay] + Self.options)
        waitForAim(program)
        let victim = pickVictim()
        let stateOfGuard = Self.state(program)
        let death = LinkTrace.now
        let guards = victim == .program ? [] : GuardProcesses.children(of: program.processIdentifier)
        for process in guards { kill(process, SIGKILL) }
        if victim != .itsGuard { program.send(SIGKILL) }
        try judge(program, victim, stateOfGuard, death, isService: isService)
    }

    /// Waits until the program has entered the next of the states, and then for a random time, which is shorter for a
    /// state that ends sooner.
    private mutating func waitForAim(_ program: Child) {
        aim = (aim + 1) % Self.states.count
        let state = Self.states[aim]
        let window = windows[state, default: Self.firstWindow]
        let wait = UInt32(random.number(below: UInt64(window)))
        let end = ContinuousClock.now + .seconds(10)
        while ContinuousClock.now < end, !program.standardError.contains("→ \(state)\n") {
            if Self.state(program) == "over" { return }
            usleep(50)
        }
        usleep(wait)
    }

    /// Adapts the wait after which the next kill comes to the state in which this kill came.
    private mutating func correctAim(_ state: String) {
        let aimed = Self.states[aim]
        let factor = state == aimed ? 1.5 : 0.5
        windows[aimed] = min(max(windows[aimed, default: Self.firstWindow] * factor, 1), Self.longestWindow)
    }

    private mutating func pickVictim() -> Victim {
        switch random.number(below: 10) {
        case 0..<7: .program
        case 7: .both
        default: .itsGuard
        }
    }

    private mutating func judge(
        _ program: Child, _ victim: Victim, _ stateOfGuard: String, _ death: Double, isService: Bool
    ) throws {
        if victim == .itsGuard {
            // Only the guard was killed: the program has to restore the link itself.
            if isService {
                try eventually("the bounce is over", detail: program.transcript) {
                    try link.isUp && Self.state(program) == "waiting"
                }
                program.send(SIGTERM)
            }
            // If the guard dies before it is ready, no bounce begins.
            let status = try program.outcome().status
            let isRefused = status == 71 && program.standardError.contains("could not start the guard")
            if status != 0 && !isRefused { complain("status \(status)", program) }
        } else {
            _ = try program.outcome()
        }
        let state = victim == .itsGuard ? stateOfGuard : Self.state(program)
        hits[Hit(victim: victim, state: state), default: 0] += 1
        correctAim(state)
        if victim == .both { _ = try link.run("repair", interface: nil) }
        try judgeLink(program, state, victim == .program ? death : nil)
    }

    /// - Parameter death: when the program was killed, so that its guard has to raise the link at once; nil
    ///   if the guard was killed, alone or with the program.
    private mutating func judgeLink(_ program: Child, _ state: String, _ death: Double?) throws {
        do {
            try eventually("up") { try link.isUp }
            try trace.catchUp()
            if let death, let raised = trace.changes.last(where: \.isUp)?.time, raised > death {
                measured += 1
                slowest = max(slowest, raised - death)
                if raised - death >= Tolerance.raise {
                    complain("up after \(raised - death) s (\(state))", program)
                }
            }
            try link.awaitRestored(before, program, within: .seconds(60))
            // A guard that was never armed exits shortly after its program.
            try eventually("unlocked") { try !link.isLocked(VirtualLink.near) }
        } catch let overdue as Overdue {
            complain(
                "\(overdue.sentence) (hit while \(state)); was:\n\(before)\nis:\n\(try link.state())",
                program)
        }
    }

    private mutating func complain(_ what: String, _ program: Child) {
        complaints.append("\(what)\n\(program.transcript)")
    }

    /// The state that the program has entered last, from its log.
    private static func state(_ program: Child) -> String {
        let lines = program.standardError.split(separator: "\n")
        guard let last = lines.last(where: { $0.contains(" → ") }),
            let arrow = last.range(of: " → ")
        else { return "starting" }
        let state = String(last[arrow.upperBound...])
        return state == "finished" ? "over" : state
    }

    /// Kills that came after the bounce.
    var late: Int { hits.filter { ["over", "waiting"].contains($0.key.state) }.values.reduce(0, +) }
    func count(of state: String) -> Int { hits.filter { $0.key.state == state }.values.reduce(0, +) }
    func count(of victim: Victim) -> Int { hits.filter { $0.key.victim == victim }.values.reduce(0, +) }

    var histogram: String {
        let states = Set(hits.keys.map(\.state)).sorted()
        let total = hits.values.reduce(0, +)
        let head =
            "kill sweep: \(total) kills, seed \(seed), slowest to be up \(slowest) s after the kill"
        let rows = states.map { state in
            let cells = Victim.allCases.map { victim in
                "\(victim.rawValue) \(hits[Hit(victim: victim, state: state)] ?? 0)"
            }
            return "  \(state): \(cells.joined(separator: ", "))"
        }
        return ([head] + rows).joined(separator: "\n")
    }
}
