/// The only table of options. The parser, the help texts, the manual page and the completions of the shells
/// are made from it. The manual's sentences about an option are in Tests/InvocationTests/Generated, because the
/// program does not print them.
enum OptionTable {
    static let rows = deciding + bouncing + keeping + pacing + running + asking

    static let longestHold = Span.month

    static func row(_ name: OptionName) -> OptionRow {
        // A test checks that every name has a row, so the fallback is never used.
        rows.first { $0.name == name } ?? rows[0]
    }

    static func rows(for command: Command) -> [OptionRow] { rows.filter { $0.commands.contains(command) } }

    private static let everywhere: [Command] = [
        .run, .toggle, .reconnect, .probe, .list, .doctor, .repair, .hold,
    ]
    private static let probing: [Command] = [.run, .toggle, .reconnect, .probe]
    private static let acting: [Command] = [.run, .toggle, .reconnect]
    private static let locking: [Command] = [.run, .toggle, .reconnect, .repair]
    private static let filing: [Command] = [.run, .toggle, .reconnect, .probe, .repair]
    private static let choosing: [Command] = [.run, .reconnect]
    private static let serving: [Command] = [.run]
    private static let speaking = everywhere + [.status, .history, .replay]

    private static let deciding: [OptionRow] = [
        OptionRow(
            name: .interval, short: "i", kind: .duration(.milliseconds(100)...Span.month),
            defaultText: "60s", commands: serving, help: "time between cycles"),
        OptionRow(
            name: .probe, short: "p", kind: .probe, defaultText: "auto", commands: probing,
            ownExample: "icmp:192.0.2.1",
            help: "what to probe; may be repeated"),
        OptionRow(
            name: .quorum, kind: .count(1...16), defaultText: "1", commands: probing,
            ownExample: "2", help: "how many probes of each layer must succeed"),
        OptionRow(
            name: .commandUser, kind: .user, defaultText: "nobody", commands: probing,
            scope: .wholeRun, help: "the user who runs probes of the kind command"),
        OptionRow(
            name: .force, short: "f", kind: .flag, defaultText: "no", commands: acting,
            help: "bounce the link even when it is healthy"),
        OptionRow(
            name: .bounceOn, kind: .layers, defaultText: "association,address,gateway",
            commands: choosing, ownExample: "association,gateway",
            help: "the layers whose faults lead to a bounce"),
        OptionRow(
            name: .fall, kind: .count(1...100), defaultText: "3", commands: choosing,
            help: "sick verdicts in a row that make the link sick"),
        OptionRow(
            name: .rise, kind: .count(1...100), defaultText: "2", commands: choosing,
            help: "healthy verdicts in a row that make the link healthy"),
        OptionRow(
            name: .recheck, kind: .duration(.milliseconds(10)...Span.month),
            defaultText: "5s", commands: acting, help: "time between checks while the link is suspect"),
        OptionRow(
            name: .timeout, kind: .duration(.milliseconds(1)...Span.minute),
            defaultText: "2s", commands: probing, help: "how long one probe waits for its answer"),
        OptionRow(
            name: .degradedLoss, kind: .percent(0...100), defaultText: "20", commands: serving,
            help: "loss in per cent that makes the link degraded"),
        OptionRow(
            name: .degradedLatency, kind: .duration(.zero...Span.minute), defaultText: "500ms",
            commands: serving, help: "median round trip that makes the link degraded"),
    ]

    private static let bouncing: [OptionRow] = [
        OptionRow(
            name: .delay, short: "d", kind: .duration(.zero...Span.minute), defaultText: "3s",
            commands: acting, help: "how long the link is kept down"),
        OptionRow(
            name: .settle, kind: .duration(.zero...Span.minute * 10), defaultText: "30s",
            commands: acting, help: "how long the link may take to come back"),
        OptionRow(
            name: .restore, kind: .yesOrNo, defaultText: "yes", commands: acting,
            help: "restore lost routes and addresses that no other program restores"),
        OptionRow(
            name: .noFastReconnect, kind: .flag, defaultText: "no", commands: acting,
            help: "do not abort the owner's first scan"),
        OptionRow(
            name: .method, kind: .method, defaultText: "auto", commands: acting,
            ownExample: "auto,reset", help: "methods to recover a sick link"),
    ]

    private static let keeping: [OptionRow] = [
        OptionRow(
            name: .powerSave, kind: .powerSave, defaultText: "leave", commands: acting,
            ownExample: "off", help: "whether power saving is kept off"),
        OptionRow(
            name: .announce, kind: .flag, defaultText: "no", commands: acting,
            help: "tell the neighbours the addresses of a healthy link"),
    ]

    private static let pacing: [OptionRow] = [
        OptionRow(
            name: .backoff, kind: .duration(.zero...Span.day), defaultText: "60s",
            commands: choosing, help: "time between the first two bounces of an outage"),
        OptionRow(
            name: .backoffMaximum, kind: .duration(.zero...Span.month), defaultText: "1h",
            commands: choosing, help: "the longest time between bounces"),
        OptionRow(
            name: .grace, kind: .duration(.zero...Span.day), defaultText: "60s",
            commands: serving, help: "time after boot or hotplug without a bounce"),
        OptionRow(
            name: .rebootAfter, kind: .duration(Span.minute...Span.day), defaultText: "15m",
            commands: serving, help: "how long an outage must last before the method reboot is used"),
        OptionRow(
            name: .quietHours, kind: .quietWindow, defaultText: "none", commands: choosing,
            ownExample: "22:00-06:30", help: "hours without a bounce; may be repeated"),
        OptionRow(
            name: .evenIfInUse, kind: .flag, defaultText: "no", commands: choosing,
            help: "bounce even while a user is logged in over the link"),
        OptionRow(
            name: .budget, kind: .count(1...3600), defaultText: "6", commands: choosing,
            help: "maximum number of bounces per hour"),
        OptionRow(
            name: .dailyBudget, kind: .count(1...3600), defaultText: "24", commands: choosing,
            help: "maximum number of bounces per day"),
        OptionRow(
            name: .wait, kind: .duration(.zero...Span.hour), defaultText: "10s",
            commands: locking, scope: .wholeRun, help: "how long to wait for another run's lock"),
    ]

    private static let running: [OptionRow] = [
        OptionRow(
            name: .dryRun, short: "n", kind: .flag, defaultText: "no", commands: locking,
            help: "decide and report, change nothing"),
        OptionRow(
            name: .anyInterface, kind: .flag, defaultText: "no", commands: everywhere,
            help: "also accept interfaces that are not Wi-Fi"),
        OptionRow(
            name: .config, kind: .file, defaultText: "/etc/wifi-toggler.conf",
            commands: everywhere + [.status, .history], scope: .commandLine,
            help: "the configuration file"),
        OptionRow(
            name: .stateDirectory, kind: .directory, defaultText: "/var/lib/wifi-toggler",
            commands: filing + [.doctor, .history], scope: .wholeRun,
            help: "directory for the history and other saved state"),
        OptionRow(
            name: .runDirectory, kind: .directory, defaultText: "/run/wifi-toggler",
            commands: filing + [.hold, .doctor, .status], scope: .wholeRun,
            help: "directory of locks and the control socket"),
        OptionRow(
            name: .metrics, kind: .file, defaultText: "none", commands: serving, scope: .wholeRun,
            ownExample: "/var/lib/prometheus/node-exporter/wifi-toggler.prom",
            help: "file of metrics for Prometheus"),
        OptionRow(
            name: .hooksDirectory, kind: .absoluteDirectory,
            defaultText: "/etc/wifi-toggler/hooks.d",
            commands: serving, scope: .wholeRun, help: "directory of hooks, run when something changes"),
    ]

    private static let asking: [OptionRow] = [
        OptionRow(
            name: .record, kind: .file, commands: probing,
            scope: .commandLine, ownExample: "/var/lib/wifi-toggler/trace",
            help: "write a trace for 'replay'"),
        OptionRow(
            name: .check, kind: .flag, commands: serving,
            scope: .commandLine, help: "validate and print the settings, and exit"),
        OptionRow(
            name: .watch, kind: .flag, commands: [.status],
            scope: .commandLine, help: "keep running and show every change"),
        OptionRow(
            name: .since, kind: .instant, commands: [.history],
            scope: .commandLine, ownExample: "7d", help: "leave out outages and bounces that ended before T"),
        OptionRow(
            name: .page, kind: .file, commands: [.history],
            scope: .commandLine, ownExample: "history.html",
            help: "write the history as a page for a browser"),
        OptionRow(
            name: .json, kind: .flag, defaultText: "no",
            commands: filing + [.list, .doctor, .status, .history],
            scope: .wholeRun, help: "one JSON object per line on standard output"),
        OptionRow(
            name: .quiet, short: "q", kind: .flag, defaultText: "no", commands: speaking,
            scope: .wholeRun, help: "write errors only"),
        OptionRow(
            name: .verbose, short: "v", kind: .flag, defaultText: "no", commands: speaking,
            scope: .wholeRun, help: "also write healthy cycles and the reasoning"),
        OptionRow(
            name: .log, kind: .log, defaultText: "auto", commands: speaking, scope: .wholeRun,
            ownExample: "syslog", help: "where to log: auto, stderr, journal or syslog"),
        OptionRow(
            name: .help, short: "h", kind: .flag, commands: Command.allCases,
            scope: .commandLine, help: "this text"),
        OptionRow(
            name: .version, short: "V", kind: .flag, commands: Command.allCases,
            scope: .commandLine, help: "the version"),
    ]
}

/// Durations for the ranges in the table.
private enum Span {
    static let minute: Duration = .seconds(60)
    static let hour: Duration = minute * 60
    static let day: Duration = hour * 24
    static let month: Duration = day * 30
}
