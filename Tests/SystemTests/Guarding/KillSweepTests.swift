import Foundation
import Glibc
import Model
import Testing
import Toggling

/// SIGKILL at random moments of whole bounces: at any moment, the link comes up again and has lost nothing.
/// `contrib/killsweep` runs it with more kills, and prints its output.
@Suite("Kill sweep", .needsRoot)
struct KillSweepTests {
    @Test("killed at a random moment, the link is up within a second and all is back")
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
        // It must have killed something.
        #expect(sweep.hits.keys.filter { $0.instant != "over" }.count > 1, "\(sweep.histogram)")
    }
}

/// One link, bounced and killed again and again.
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
        var instant: String
    }

    private(set) var hits: [Hit: Int] = [:]
    private(set) var complaints: [String] = []
    private let seed: UInt64
    private var random: SplitMix64
    private let link: VirtualLink
    private let before: String
    private var slowest: Duration = .zero
    /// How long a whole bounce takes here.
    private let duration: Duration

    private static let options = ["--settle", "10s", "--probe", "none", "--verbose"]
    private static let states = [
        "preparing", "arming", "lowering", "keeping down", "raising", "awaiting link", "restoring",
        "verifying",
    ]
    private static let microsecondsLate: UInt64 = 2000
    private static let holds = ["0", "20ms", "60ms"]

    init(seed: UInt64) throws {
        self.seed = seed
        random = SplitMix64(state: seed)
        link = try VirtualLink()
        try link.makeThingsToLose()
        before = try link.state()
        let begun = ContinuousClock.now
        let dryRun = try link.run("toggle", ["--delay", Self.holds[1]] + Self.options)
        duration = ContinuousClock.now - begun
        #expect(dryRun.status == 0, "\(dryRun)")
    }

    mutating func killOne() throws {
        let isService = random.number(below: 4) == 0
        let hold = Self.holds[Int(random.number(below: UInt64(Self.holds.count)))]
        let command = isService ? "run" : "toggle"
        let program = try link.start(
            command,
            (isService ? ["--force", "--interval", "1h"] : []) + ["--delay", hold] + Self.options)
        waitForInstant(program)
        let victim = pickVictim()
        let instantOfGuard = Self.instant(program)
        let guards = victim == .program ? [] : GuardProcesses.children(of: program.processIdentifier)
        for process in guards { kill(process, SIGKILL) }
        if victim != .itsGuard { program.send(SIGKILL) }
        try judge(program, victim, instantOfGuard, isService: isService)
    }

    /// Half of the kills come at any time; the others soon after the program has entered a state that is too
    /// short to be hit often by chance.
    private mutating func waitForInstant(_ program: Child) {
        // Half as long again as a bounce: some kills come too late, as some come too early.
        let limit = duration * 3 / 2
        let duration = Duration.microseconds(Int64(random.number(below: UInt64(limit.nanoseconds / 1000))))
        let state = Self.states[Int(random.number(below: UInt64(Self.states.count)))]
        let late = UInt32(random.number(below: Self.microsecondsLate))
        guard random.number(below: 2) == 0 else {
            usleep(UInt32(duration.nanoseconds / 1000))
            return
        }
        let end = ContinuousClock.now + limit
        while ContinuousClock.now < end, !program.standardError.contains("→ \(state)") { usleep(100) }
        usleep(late)
    }

    private mutating func pickVictim() -> Victim {
        switch random.number(below: 10) {
        case 0..<7: .program
        case 7: .both
        default: .itsGuard
        }
    }

    private mutating func judge(
        _ program: Child, _ victim: Victim, _ instantOfGuard: String, isService: Bool
    ) throws {
        if victim == .itsGuard {
            // The program lives: it has to restore the link itself.
            if isService {
                try eventually("the bounce is over", detail: program.transcript) {
                    try link.isUp && Self.instant(program) == "waiting"
                }
                program.send(SIGTERM)
            }
            // If the guard dies before it is ready, no bounce begins.
            let status = try program.outcome().status
            let isRefused = status == 71 && program.standardError.contains("could not arm the guard")
            if status != 0 && !isRefused { complain("status \(status)", program) }
        } else {
            _ = try program.outcome()
        }
        let instant = victim == .itsGuard ? instantOfGuard : Self.instant(program)
        hits[Hit(victim: victim, instant: instant), default: 0] += 1
        if victim == .both { _ = try link.run("repair", interface: nil) }
        try judgeLink(program, instant)
    }

    private mutating func judgeLink(_ program: Child, _ instant: String) throws {
        let death = ContinuousClock.now
        do {
            try eventually("up", within: .seconds(1) + Tolerance.observing) { try link.isUp }
            slowest = max(slowest, ContinuousClock.now - death)
            try link.awaitRescue(before, program, within: .seconds(15))
            // A guard that was never armed exits shortly after its program.
            try eventually("unlocked", within: .seconds(1) + Tolerance.observing) {
                try !link.isLocked(VirtualLink.near)
            }
        } catch let overdue as Overdue {
            complain(
                "\(overdue.sentence) (hit while \(instant)); was:\n\(before)\nis:\n\(try link.state())",
                program)
        }
    }

    private mutating func complain(_ what: String, _ program: Child) {
        complaints.append("\(what)\n\(program.transcript)")
    }

    /// The state that the program has entered last, from its log.
    private static func instant(_ program: Child) -> String {
        let lines = program.standardError.split(separator: "\n")
        guard let last = lines.last(where: { $0.contains(" → ") }),
            let arrow = last.range(of: " → ")
        else { return "starting" }
        let state = String(last[arrow.upperBound...])
        return state == "finished" ? "over" : state
    }

    var histogram: String {
        let instants = Set(hits.keys.map(\.instant)).sorted()
        let total = hits.values.reduce(0, +)
        let head =
            "kill sweep: \(total) kills, seed \(seed), slowest to be up \(slowest) after it was looked at"
        let rows = instants.map { instant in
            let cells = Victim.allCases.map { victim in
                "\(victim.rawValue) \(hits[Hit(victim: victim, instant: instant)] ?? 0)"
            }
            return "  \(instant): \(cells.joined(separator: ", "))"
        }
        return ([head] + rows).joined(separator: "\n")
    }
}
