import Glibc
import Testing

@testable import Model
@testable import Toggling

/// Simulated lives with outages of all kinds: months with many faults here, whole years in contrib/year.
@Suite("A simulated year") struct YearTests {
    private static let month: Duration = .days(30)
    /// With this factor a month has as many faults as four ordinary months.
    private static let hardness = 4.0
    private static let seeds: [UInt64] = [1, 2, 3]
    private static let fewSeeds: [UInt64] = [1, 2]

    /// The probes: the default, a public host, or a name that systemd-resolved resolves.
    enum Probes: CaseIterable {
        case auto, publicHost, name

        var settings: Settings {
            var settings = Settings()
            switch self {
            case .auto: break
            case .publicHost: settings.probes = [Census.publicHost]
            case .name: settings.probes = [Census.name]
            }
            return settings
        }
    }

    private typealias Lived = (life: Life, ledger: Ledger)

    private static func lives(
        _ probes: Probes, seeds: [UInt64], in situation: Situation = .ordinary, filtersICMP: Bool? = nil,
        where befalls: (Trouble) -> Bool = { _ in true }
    ) async -> [Lived] {
        var lived: [Lived] = []
        for seed in seeds {
            let life = Life(
                seed: seed, duration: month, in: situation, filtersICMP: filtersICMP, hardness: hardness,
                where: befalls)
            lived.append((life, life.lived(by: WiFiToggler(probes.settings, seed: seed))))
            await Task.yield()  // tests that depend on time run at the same time
        }
        return lived
    }

    // MARK: The program

    @Test(
        "in hard months every fault is found and recovered fast, and few bounces are useless",
        arguments: Probes.allCases)
    func hardMonths(probes: Probes) async {
        var all = Ledger()
        // Only a probe of a name shows that systemd-resolved hangs.
        for (life, ledger) in await Self.lives(
            probes, seeds: Self.seeds, where: { $0 != .resolverHung || probes == .name })
        {
            Self.expectNothingMissed(ledger, life)
            Self.expectReasons(ledger, life)
            Self.expectLimiter(ledger, life, probes.settings)
            all += ledger
        }
        #expect(all.faults.count >= 20)
        #expect(all.recovery(percentile: 50) ?? .hours(24) < .seconds(90))
    }

    @Test(
        "in hard months, faults of a port of a bond or bridge are recovered like those of a station",
        arguments: [
            Situation.bondPort, .bridgePort,
        ])
    func ports(situation: Situation) async {
        var faults = 0
        for (life, ledger) in await Self.lives(
            .auto, seeds: Self.seeds, in: situation, where: { $0 != .resolverHung })
        {
            Self.expectNothingMissed(ledger, life)
            Self.expectReasons(ledger, life)
            Self.expectLimiter(ledger, life, Settings())
            faults += ledger.faults.count
        }
        #expect(faults >= 20)
    }

    @Test("a backup port is bounced only for its association")
    func backup() async {
        for (life, ledger) in await Self.lives(.auto, seeds: Self.seeds, in: .bondBackup) {
            let others = ledger.begun.filter { !$0.ground.isOfAir && $0.method != .owner }
            #expect(others.isEmpty, "seed \(life.seed): \(others)")
            Self.expectReasons(ledger, life)
        }
    }

    @Test("a radio without an assigned network is never bounced")
    func spare() async {
        for (life, ledger) in await Self.lives(.auto, seeds: Self.seeds, in: .spareRadio) {
            #expect(ledger.total == 0, "seed \(life.seed): \(ledger.begun)")
        }
    }

    @Test(
        "behind proxy ARP dead links are found by echo requests, unless the gateway filters these")
    func proxyARP() async {
        var faults = 0
        for (life, ledger) in await Self.lives(.auto, seeds: Self.seeds, in: .proxyARP, filtersICMP: false) {
            Self.expectReasons(ledger, life)
            for fault in ledger.faults where fault.trouble == .wedge {
                // At most: five intervals of silence, ten verdicts, and the bounce with its scan.
                #expect(fault.duration ?? .hours(24) < .minutes(10), "seed \(life.seed): \(fault)")
                faults += 1
            }
        }
        #expect(faults >= 10)
        for (life, ledger) in await Self.lives(
            .auto, seeds: Self.fewSeeds, in: .proxyARP, filtersICMP: true,
            where: { if case .curable = $0.nature { $0.mutesGateway } else { $0 != .otherKey } })
        {
            Self.expectReasons(ledger, life)
            #expect(ledger.faults.allSatisfy { $0.firstCure == nil }, "seed \(life.seed)")
        }
    }

    @Test("a device that is often busy is raised again each time, and causes no more actions than any other")
    func busy() async {
        var (busy, ordinary) = (Ledger(), Ledger())
        for (life, ledger) in await Self.lives(.auto, seeds: Self.seeds, in: .busyDevice) {
            Self.expectReasons(ledger, life)
            busy += ledger
        }
        for (_, ledger) in await Self.lives(.auto, seeds: Self.seeds) { ordinary += ledger }
        #expect(busy.total <= ordinary.total && busy.inVain <= ordinary.inVain)
        #expect(busy.faults.count >= 20 && busy.cured == busy.faults.count)
        #expect(ordinary.longestDown < .seconds(4) && busy.longestDown < .minutes(1))
    }

    /// Faults that the method called for by the evidence cures, and that a bounce cures late or not at all.
    private static let otherwiseCurable = Trouble.allCases.filter {
        if case .curable(by: .method) = $0.nature { true } else { $0 == .invalidKey }
    }

    @Test(
        "each fault that a bounce cures late or not at all is cured by its own method",
        arguments: otherwiseCurable)
    func cured(by trouble: Trouble) async throws {
        let cure: Model.Method =
            if case .curable(by: .method(let method)) = trouble.nature { method } else { .owner }
        let life = Life(seed: 1, duration: .days(15), hardness: 80) {
            $0 == trouble || $0.nature == .ordinary
        }
        let probes: Probes = trouble == .resolverHung ? .name : .auto
        let ledger = life.lived(by: WiFiToggler(probes.settings, seed: 1))
        #expect(ledger.faults.count >= 2 && ledger.cured == ledger.faults.count, "\(ledger.faults)")
        #expect(ledger.begun.allSatisfy { $0.method == cure && $0.ground == .curable }, "\(ledger.begun)")
        Self.expectNothingMissed(ledger, life)

        var settings = probes.settings
        settings.methods = [.bounce]
        let other = life.lived(by: WiFiToggler(settings, seed: 1))
        #expect(other.without > ledger.without)
        // ConnMan comes back after a bounce, later.
        guard trouble != .invalidKey else { return }
        #expect(other.cured == 0 && other.missed.count == other.faults.count)
    }

    @Test("reboots end what no other method cures, and are at most one a day and three a week")
    func reboots() {
        let life = Life(seed: 1, duration: .days(120))
        var settings = Settings()
        settings.methodsBesideAuto = [.reset]
        let without = life.lived(by: WiFiToggler(settings, seed: 1))
        settings.methodsBesideAuto.append(.reboot)
        let ledger = life.lived(by: WiFiToggler(settings, seed: 1))
        let reboots = ledger.begun.filter { $0.method == .reboot }
        #expect(reboots.contains { $0.ground == .curable })
        for reboot in reboots {
            let ages = reboots.map { reboot.at - $0.at }.filter { $0 >= .zero }
            #expect(ages.count { $0 < .days(1) } == 1 && ages.count { $0 < .days(7) } <= RebootState.most)
        }
        #expect(ledger.inHealth == 0 && ledger.overruled == 0)
        #expect(ledger.without < without.without)
    }

    private static func expectNothingMissed(_ ledger: Ledger, _ life: Life) {
        // After another key the request is repeated ever more rarely, up to an hour apart.
        let missed = ledger.missed.filter { $0.trouble != .otherKey }
        #expect(missed.isEmpty, "seed \(life.seed): \(missed)")
        for fault in ledger.faults {
            // A cycle, three checks of four time-outs each, and the bounce with its scan. If bounces have
            // been useless before, a second one comes after the longest back-off and its jitter.
            let isLate = [.stubbornWedge, .otherKey].contains(fault.trouble)
            let limit: Duration = isLate ? .minutes(75) : .minutes(4)
            #expect(fault.duration ?? .hours(24) < limit, "seed \(life.seed): \(fault)")
        }
    }

    private static func expectReasons(_ ledger: Ledger, _ life: Life) {
        let wrong = ledger.begun.filter { !$0.ground.isDocumented }
        #expect(wrong.isEmpty, "seed \(life.seed): \(wrong)")
        #expect(ledger.overruled == 0, "seed \(life.seed)")
    }

    private static func expectLimiter(_ ledger: Ledger, _ life: Life, _ settings: Settings) {
        let begun = ledger.begun.filter(\.isFirst)
        for (position, action) in begun.enumerated() {
            let inHour = begun[...position].filter { action.at - $0.at < BounceLimiter.hour }
            #expect(inHour.count <= settings.budget, "seed \(life.seed): \(inHour)")
        }
        for action in ledger.begun where action.method == .reset || action.method == .restartOwner {
            let inDay = ledger.begun.filter {
                [.reset, .restartOwner].contains($0.method) && $0.at <= action.at
                    && action.at - $0.at < BounceLimiter.day
            }
            #expect(inDay.count <= LimiterState.mostRestarts, "seed \(life.seed): \(inDay)")
        }
        for spell in life.spells where spell.trouble.nature == .incurable {
            let within = begun.filter { spell.start <= $0.at && $0.at < spell.end }
            // The jitter shortens the longest back-off by a tenth at most.
            let late = (spell.end - spell.start).inSeconds / settings.backoffMaximum.inSeconds / 0.9
            // Requests to the owner do not count as useless: only the back-off that doubles limits them.
            let requests = spell.trouble == .otherKey ? 3 : 0
            let most = BounceLimiter.mostUseless + requests + Int(late)
            #expect(within.count <= most, "seed \(life.seed), \(spell): \(within)")
        }
        #expect(ledger.duration(.caused) <= .seconds(10) * ledger.inVain, "seed \(life.seed)")
        #expect(ledger.longestDown < settings.delay + .seconds(1), "seed \(life.seed)")
    }

    @Test(
        "months without a fault on this side of the gateway pass without a bounce",
        arguments: Probes.allCases)
    func leftAlone(probes: Probes) async {
        let natures: Set<Trouble.Nature> = [.ordinary, .beyond, .willed]
        for (life, ledger) in await Self.lives(
            probes, seeds: Self.fewSeeds, where: { natures.contains($0.nature) })
        {
            #expect(ledger.total == 0, "seed \(life.seed): \(ledger.begun)")
            #expect(ledger.duration(.caused) == .zero)
        }
    }

    @Test(
        "packet loss of 20 to 40 % and seconds of latency hardly ever cause a bounce",
        arguments: Probes.allCases)
    func rough(probes: Probes) async {
        var all = Ledger()
        for (_, ledger) in await Self.lives(
            probes, seeds: Self.fewSeeds, where: { $0.nature == .rough })
        {
            all += ledger
        }
        #expect(all.total <= 1, "\(all.actions)")
    }

    // MARK: The simulation and other watchdogs

    @Test("the same seed gives the same simulated events, another seed gives others")
    func seeded() {
        let lives = [1, 1, 2].map { Life(seed: $0, duration: .days(10), hardness: 10) }
        let ledgers = lives.map { $0.lived(by: WiFiToggler(seed: $0.seed)) }
        #expect(lives[0].spells == lives[1].spells && lives[0].spells != lives[2].spells)
        #expect(ledgers[0].actions == ledgers[1].actions && ledgers[0].durations == ledgers[1].durations)
        #expect(ledgers[0].durations != ledgers[2].durations)
    }

    @Test("the times of all conditions add up to the simulated time, with any watchdog")
    func accounts() {
        let life = Life(seed: 1, duration: .days(10), hardness: 10)
        for ledger in [
            life.lived(by: Nobody()), life.lived(by: PlainTimer()), life.lived(by: Watchcat()),
            life.lived(by: WiFiToggler(seed: 1)),
        ] {
            #expect(ledger.durations.values.reduce(.zero, +) == .days(10))
        }
    }

    @Test("without a watchdog, a wedged link stays wedged until a user notices")
    func nobody() {
        let life = Life(seed: 1, duration: Self.month, hardness: 4) { $0 == .wedge }
        let ledger = life.lived(by: Nobody())
        #expect(ledger.total == 0)
        #expect(ledger.faults.count >= 4 && ledger.missed.count == ledger.faults.count)
        #expect(ledger.recoveries.allSatisfy { $0 >= .hours(1) })
    }

    @Test("the plain timer takes a healthy link down for seven seconds of every minute")
    func plainTimer() {
        let life = Life(seed: 1, duration: .days(1)) { _ in false }
        let ledger = life.lived(by: PlainTimer())
        #expect(ledger.total == 24 * 60 && ledger.inHealth == ledger.total)
        let perMinute = ledger.duration(.caused).inSeconds / Double(ledger.total)
        #expect((7...8).contains(perMinute), "\(perMinute)")
    }

    @Test("watchcat bounces every two minutes while the provider is dead; the program does not")
    func watchcat() throws {
        let life = Life(seed: 1, duration: Self.month, hardness: 4) { $0 == .providerDead }
        let ledger = life.lived(by: Watchcat())
        let spell = try #require(life.spells.max { $0.end - $0.start < $1.end - $1.start })
        let within = ledger.begun.filter { spell.start <= $0.at && $0.at < spell.end }
        let windows = (min(spell.end, life.end) - spell.start).inSeconds / 120
        #expect(windows > 10 && abs(Double(within.count) - windows) <= 2, "\(within.count) in \(windows)")
        #expect(ledger.inHealth == 0)
        #expect(life.lived(by: WiFiToggler(seed: 1)).total == 0)
    }

    // MARK: Whole years

    @Test(
        "the table of whole years, with several watchdogs, is printed",
        .enabled(if: number("WIFI_TOGGLER_YEARS") != nil, "for contrib/year"))
    func table() async {
        let seed = Self.number("WIFI_TOGGLER_YEAR_SEED") ?? 1
        var census = Census()
        for year in 0..<(Self.number("WIFI_TOGGLER_YEARS") ?? 1) {
            census.live(Life(seed: UInt64(seed + year), duration: .days(365)))
            census.live(seed: UInt64(seed + year), duration: .days(365))
            await Task.yield()
        }
        for line in census.lines { print(line) }
    }

    private static func number(_ variable: String) -> Int? {
        getenv(variable).flatMap { Int(String(cString: $0)) }
    }
}

extension Ledger.Ground {
    /// Whether the policy allows a bounce on this ground, even if the bounce is needless: seen from the link,
    /// it cannot be told apart from a necessary one.
    fileprivate var isDocumented: Bool {
        switch self {
        case .curable: true
        case .trouble(let trouble): trouble.nature == .incurable
        // After a long absence, a bounce makes the owner scan at once, which it would otherwise do later.
        case .joining: true
        case .health: false
        }
    }

    /// Whether the bounce began because there was no association.
    fileprivate var isOfAir: Bool {
        switch self {
        case .joining: true
        case .trouble(let trouble): trouble.silencesAir || trouble.keepsApart
        case .curable, .health: false
        }
    }
}
