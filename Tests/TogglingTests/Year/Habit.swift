/// How often a kind of fault occurs, and how long it lasts: the assumptions of the simulated year. There are
/// no published statistics of Wi-Fi faults as seen from the station, so the numbers are estimates for a home
/// or a small office, and rather pessimistic. The table of results compares watchdogs under the same
/// assumptions; its absolute numbers mean little.
struct Habit {
    let trouble: Trouble
    let perYear: Double
    /// The logarithm of the duration is uniformly distributed between those of `shortest` and `longest`.
    let shortest: Duration
    let longest: Duration

    init(_ trouble: Trouble, perYear: Double, from shortest: Duration, to longest: Duration) {
        self.trouble = trouble
        self.perYear = perYear
        self.shortest = shortest
        self.longest = longest
    }

    static let all =
        curable + incurable + beyond + rough + willed + ordinary + documented + documentedInVain + wishes

    /// The faults that the program is made for. Drivers and access points that are known to wedge do so
    /// between once a day and once in a few months. Without a watchdog, a user notices after hours, and
    /// switches the link off and on by hand.
    private static let curable = [
        Habit(.wedge, perYear: 24, from: .hours(1), to: .hours(24)),
        // Not every driver recovers at the first bounce.
        Habit(.stubbornWedge, perYear: 4, from: .hours(1), to: .hours(24)),
        // The access point has forgotten the station, or a key's counter is wrong, until it clears its
        // tables.
        Habit(.passingWedge, perYear: 12, from: .minutes(1), to: .minutes(20)),
        // The renewal of a lease was refused, and the client does not start again. (ConnMan's own route was
        // gone in 7 of 12 cases, and came back only with a new connection.)
        Habit(.lostAddress, perYear: 8, from: .hours(1), to: .hours(24)),
    ]

    private static let incurable = [
        // Firmware updates, brown-outs, configured nightly restarts, and changes of a DFS channel (the access
        // point listens on the new channel for one minute, or for ten in the band of weather radar).
        Habit(.accessPointRestart, perYear: 16, from: .minutes(1), to: .minutes(5)),
        // Power cuts, or a broken power supply that is replaced the next day.
        Habit(.accessPointDead, perYear: 3, from: .hours(1), to: .hours(12)),
        Habit(.routerReplaced, perYear: 1, from: .minutes(5), to: .minutes(30)),
        // The router behind a separate access point restarts, or a switch between the two.
        Habit(.gatewayDead, perYear: 8, from: .minutes(1), to: .hours(2)),
        Habit(.dhcpDead, perYear: 2, from: .hours(2), to: .hours(24)),
    ]

    /// Providers promise availability of 97 to 99.9 %: outages of 9 hours to 11 days a year.
    private static let beyond = [
        Habit(.providerDead, perYear: 12, from: .minutes(2), to: .hours(24)),
        // In a hotel, in a train, or in a guest network whose consent ends at midnight, until a user logs in.
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
        // A laptop that is suspended on three nights of a week.
        Habit(.suspend, perYear: 150, from: .minutes(20), to: .hours(9)),
        // The access point disconnects the station, to steer it to another band or because it is idle. The
        // owner joins again at once.
        Habit(.deauthentication, perYear: 100, from: .milliseconds(1), to: .milliseconds(1)),
        // The station changes between access points of one network. Meanwhile packets are lost.
        Habit(.roam, perYear: 1000, from: .milliseconds(50), to: .milliseconds(1500)),
        // A new group key every hour. Packets at the time of the change are lost.
        Habit(.rekey, perYear: 8760, from: .milliseconds(20), to: .milliseconds(200)),
        // NetworkManager scans 38 channels in 3.9 s. The radio returns to its own channel between two of
        // them.
        Habit(.scan, perYear: 7300, from: .milliseconds(3850), to: .milliseconds(3980)),
    ]

    /// Faults that a bounce does not cure: as often in a year as among 63 outages of unattended machines that
    /// users reported in 2022 to 2026 (their kinds: wifi-toggler-recovery(7), OUTAGES IN PRACTICE). That is
    /// rather too often, but the causes are in proportion; how often a cause has which form is a guess. The
    /// faults last until a user notices and restarts something.
    private static let documented = [
        // The owner had to be told to connect (10, with `otherKey`).
        Habit(.gaveUp, perYear: 6, from: .hours(1), to: .hours(24)),
        Habit(.invalidKey, perYear: 2, from: .hours(1), to: .hours(24)),
        // A service had to be restarted (7).
        Habit(.ownerHung, perYear: 2, from: .hours(1), to: .hours(24)),
        Habit(.ownerDead, perYear: 1, from: .hours(1), to: .hours(24)),
        Habit(.clientHung, perYear: 2, from: .hours(1), to: .hours(24)),
        Habit(.clientDead, perYear: 1, from: .hours(1), to: .hours(24)),
        Habit(.resolverHung, perYear: 1, from: .hours(1), to: .hours(24)),
        // The driver had to be taken off and on (9), or the USB device enumerated again (2).
        Habit(.radioRefuses, perYear: 4, from: .hours(1), to: .hours(24)),
        Habit(.firmwareCrashed, perYear: 2, from: .hours(1), to: .hours(24)),
        Habit(.linkClosed, perYear: 2, from: .hours(1), to: .hours(24)),
        Habit(.interfaceLost, perYear: 3, from: .hours(1), to: .hours(24)),
    ]

    private static let documentedInVain = [
        // The key is changed by mistake, or a neighbour's access point has the same name.
        Habit(.otherKey, perYear: 2, from: .minutes(2), to: .minutes(30)),
        // The machine had to be rebooted (6), or its power cut (5).
        Habit(.deviceDead, perYear: 11, from: .hours(1), to: .hours(24)),
    ]

    /// As often as a user blocks the radio, or sets the link down.
    private static let wishes = [
        Habit(.toldToDisconnect, perYear: 8, from: .minutes(10), to: .hours(10)),
        Habit(.unplugged, perYear: 4, from: .minutes(10), to: .hours(4)),
    ]
}

extension Duration {
    static func minutes(_ minutes: Double) -> Duration { .seconds(minutes * 60) }
    static func hours(_ hours: Double) -> Duration { .seconds(hours * 3600) }
    static func days(_ days: Double) -> Duration { .hours(days * 24) }
    var inSeconds: Double { milliseconds / 1000 }
}
