@testable import Model
@testable import Toggling

/// The watchdog that looks after the links of a fleet, with or without its limits.
enum Resort: CaseIterable, Sendable {
    case wifiToggler, noJitter, noBackoff, neither, watchcat, plainTimer

    var name: String {
        switch self {
        case .wifiToggler: "wifi-toggler"
        case .noJitter: "... without jitter"
        case .noBackoff: "... without back-off"
        case .neither: "... without either"
        case .watchcat: "watchcat, 120 s"
        case .plainTimer: "plain timer"
        }
    }

    /// Without jitter all boxes are switched on at the same moment and draw the same random numbers, so they
    /// all act at the same time.
    private var isInStep: Bool { self == .noJitter || self == .neither }
    private var isUnrestrained: Bool { self == .noBackoff || self == .neither }

    private var settings: Settings {
        var settings = Settings()
        // Probe a public host: by default nothing beyond the gateway is probed, and the provider's outage
        // would not be noticed.
        settings.probes = [ProbeSpec(.icmp(.address(Self.publicHost)))]
        if isUnrestrained {
            settings.backoff = .zero
            settings.backoffMaximum = .zero
            settings.budget = Self.noBudget
            settings.dailyBudget = Self.noBudget
        }
        return settings
    }

    private static let noBudget = 3600
    private static let publicHost = IPAddress.v4(0x0808_0808)

    func story(of number: UInt64, under trouble: Trouble) -> Box.Story {
        var random = SplitMix64(state: number)
        let lead =
            isInStep
            ? .zero : Duration.milliseconds(Int64(random.share() * Settings().interval.inSeconds * 1000))
        let box = Box(number: number, trouble: trouble, lead: lead)
        return switch self {
        case .wifiToggler, .noBackoff: box.story(of: WiFiToggler(settings, seed: number))
        case .noJitter, .neither: box.story(of: WiFiToggler(settings, seed: 1))
        case .watchcat: box.story(of: Watchcat())
        case .plainTimer: box.story(of: PlainTimer())
        }
    }
}
