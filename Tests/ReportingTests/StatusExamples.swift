import Model

@testable import Reporting

/// The output of `status` about links in other states than SickLink's.
enum StatusExamples {
    private static let now = Instant(nanoseconds: 0)
    private static let reason = "the gateway 192.0.2.1 does not answer"

    private static func answer(_ members: [(String, JSONText)]) -> JSONText {
        .object([("interface", .string("wlan0")), ("since_ms", .integer(90_000))] + members)
    }

    private static func action(_ actions: Int64) -> [(String, JSONText)] {
        let action: [(String, JSONText)] = [
            ("ago_ms", .integer(60_000)), ("cause", .string(reason)), ("action", .string("bounced")),
            ("methods", .list(["owner", "bounce"])), ("down_ms", .integer(3000)),
            ("recovery_ms", .integer(2000)), ("verdict", .string("healthy")),
            ("reason", .string("the gateway 192.0.2.1 answered the neighbour probe")),
        ]
        return [("actions", .integer(actions)), ("last_action", .object(action))]
    }

    private static let starting = answer([
        ("condition", .string("undetermined")), ("state", .string("checking")),
    ])
    private static let bouncing = answer([
        ("condition", .string("sick")), ("state", .string("keeping down")), ("under_way", .string(reason)),
        ("checked_ms", .integer(4000)), ("verdict", .string("sick")), ("layer", .string("gateway")),
        ("reason", .string(reason)),
    ])

    private static var degraded: JSONText {
        let rivals: [(String, JSONText)] = [
            ("names", .list(["iwd", "wpa_supplicant"])), ("disputed", .bool(true)),
        ]
        let nobody: [(String, JSONText)] = [("names", .list([])), ("known", .bool(true))]
        return answer(
            [
                ("condition", .string("healthy")),
                ("degraded", .object([("by", .list(["loss", "latency"]))])),
                ("next", .object([("why", .string("schedule"))])), ("next_ms", .integer(30_000)),
                ("owner", .object([("station", .object(rivals)), ("network", .object(nobody))])),
                ("power_save", .string(PowerSaveOffReason.setting.description)),
            ] + action(1))
    }

    private static var bounced: JSONText {
        let name = DriverName("brcmfmac", on: "sdio")
        let rule = DriverRule(name, file: "/usr/share/wifi-toggler/drivers.conf", line: 13)
        let powerSave = PowerSaveOffReason.rule(rule, name).description
        return answer(
            [
                ("condition", .string("healthy")), ("state", .string("waiting")),
                ("power_save", .string(powerSave)),
            ]
                + action(0))
    }

    static var answers: [String] {
        [starting, bouncing, degraded, bounced].flatMap { StatusText($0).lines }
    }

    /// The name of each state, and the line of `status` about it.
    static var states: [String] {
        LogExamples.states.flatMap { name in
            StatusText(answer([("state", .string(name))])).lines.filter { $0.contains("now: ") }
                .map { "\(name):\($0.dropFirst())" }
        }
    }

    /// The additional lines of `status --watch`, on a terminal and without one.
    static var watch: [String] {
        func screen(_ interfaces: [JSONText], rows: Int = 24, trouble: String? = nil) -> [String] {
            var screen = StatusScreen(hasColours: false, isPlain: true, escaped: { $0 })
            screen.take(interfaces, at: now)
            if let trouble { screen.lose(trouble) }
            return screen.lines((columns: 80, rows: rows), at: now + .seconds(5))
        }
        var lines = EventLine(isVerbose: false)
        let begun = answer([
            ("time", .string("2027-01-15T14:05:00Z")), ("event", .string("bounce-begun")),
            ("verdict", .string("sick")), ("layer", .string("gateway")), ("reason", .string(reason)),
        ])
        return screen([]) + [""] + screen([bouncing], rows: 4) + [""]
            + screen([starting], trouble: "no service answers at /run/wifi-toggler/control") + [""]
            + [lines.text(begun)].compactMap(\.self)
    }
}
