/// How often a fault comes, and how long it lasts: the assumptions of the simulated year. There are no
/// published statistics of Wi-Fi faults as seen from the station, so the numbers are estimates for a home or
/// a small office, rather too bad; the table of results compares the watchdogs under the same assumptions,
/// and its absolute numbers mean little.
struct Habit {
    let trouble: Trouble
    let perYear: Double
    /// Durations are distributed evenly over the logarithm between these two.
    let shortest: Duration
    let longest: Duration

    init(_ trouble: Trouble, perYear: Double, from shortest: Duration, to longest: Duration) {
        self.trouble = trouble
        self.perYear = perYear
        self.shortest = shortest
        self.longest = longest
    }

    static let all = curable + incurable + beyond + rough + willed + ordinary

    /// The faults that the program is made for. Drivers and access points that are known for it wedge from
    /// daily to every few months; without a watchdog, a user notices after hours, and switches off and on by
    /// hand.
    private static let curable = [
        Habit(.wedge, perYear: 24, from: .hours(1), to: .hours(24)),
        // Not every driver recovers at the first try.
        Habit(.stubbornWedge, perYear: 4, from: .hours(1), to: .hours(24)),
        // An access point that forgot its station, or lost count of a key, until it clears its tables.
        Habit(.passingWedge, perYear: 12, from: .minutes(1), to: .minutes(20)),
        // A lease refused at renewal, and a client that does not start again (ConnMan's own route was gone in
        // 7 of 12 cases and came back only by connecting again).
        Habit(.lostAddress, perYear: 8, from: .hours(1), to: .hours(24)),
    ]

    private static let incurable = [
        // Firmware updates, brown-outs, configured nightly restarts, a DFS channel given up (one minute of
        // listening on the new one, ten in the weather band).
        Habit(.accessPointRestart, perYear: 16, from: .minutes(1), to: .minutes(5)),
        // Power cuts, a burnt power supply replaced next day.
        Habit(.accessPointDead, perYear: 3, from: .hours(1), to: .hours(12)),
        Habit(.routerReplaced, perYear: 1, from: .minutes(5), to: .minutes(30)),
        // A router that restarts behind an access point of its own, or a switch between them.
        Habit(.gatewayDead, perYear: 8, from: .minutes(1), to: .hours(2)),
        Habit(.dhcpDead, perYear: 2, from: .hours(2), to: .hours(24)),
    ]

    /// Providers promise 97 to 99.9 % of a year: 9 hours to 11 days.
    private static let beyond = [
        Habit(.providerDead, perYear: 12, from: .minutes(2), to: .hours(24)),
        // A hotel, a train, a guest network whose consent ends at midnight: until a user logs in.
        Habit(.portal, perYear: 10, from: .minutes(2), to: .hours(1)),
        Habit(.namesDead, perYear: 4, from: .minutes(5), to: .hours(2)),
    ]

    /// A microwave oven, a neighbour's new access point, a backup that fills every queue.
    private static let rough = [
        Habit(.loss, perYear: 12, from: .minutes(10), to: .hours(4)),
        Habit(.latency, perYear: 12, from: .minutes(5), to: .hours(1)),
    ]

    private static let willed = [
        Habit(.radioBlocked, perYear: 8, from: .minutes(10), to: .hours(10)),
        Habit(.setDown, perYear: 4, from: .minutes(10), to: .hours(4)),
    ]

    private static let ordinary = [
        // A laptop, three nights of a week.
        Habit(.suspend, perYear: 150, from: .minutes(20), to: .hours(9)),
        // Band steering, idle stations disconnected: the owner joins again at once.
        Habit(.deauthentication, perYear: 100, from: .milliseconds(1), to: .milliseconds(1)),
        // Between access points of one network: packets are lost, the association is handed over.
        Habit(.roam, perYear: 1000, from: .milliseconds(50), to: .milliseconds(1500)),
        // A group key every hour; packets at the time of the change are lost.
        Habit(.rekey, perYear: 8760, from: .milliseconds(20), to: .milliseconds(200)),
        // NetworkManager scans 38 channels in 3.9 s, and returns to its own between two of them.
        Habit(.scan, perYear: 7300, from: .milliseconds(3850), to: .milliseconds(3980)),
    ]
}

extension Duration {
    static func minutes(_ minutes: Double) -> Duration { .seconds(minutes * 60) }
    static func hours(_ hours: Double) -> Duration { .seconds(hours * 3600) }
    static func days(_ days: Double) -> Duration { .hours(days * 24) }
    var inSeconds: Double { milliseconds / 1000 }
}
