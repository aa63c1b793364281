/// The only table of options. The parser, the help texts, the manual page and the completions of the shells
/// are made from it.
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
            defaultText: "60s", commands: serving, help: "time between cycles",
            manual: [
                "Time between cycles; the first one begins at once.",
                "Cycles do not drift.",
            ]),
        OptionRow(
            name: .probe, short: "p", kind: .probe, defaultText: "auto", commands: probing,
            ownExample: "icmp:192.0.2.1",
            help: "what to probe; repeat for several",
            manual: [
                "How to find out whether the link is healthy; see wifi-toggler-probes(7).",
                "May be repeated; the first one given replaces the default.",
            ]),
        OptionRow(
            name: .quorum, kind: .count(1...16), defaultText: "1", commands: probing,
            ownExample: "2", help: "probes of each layer that must succeed",
            manual: [
                "How many of the probes of each layer must succeed; all of them, if fewer are configured.",
                "Probes with a leading + must always succeed.",
            ]),
        OptionRow(
            name: .commandUser, kind: .user, defaultText: "nobody", commands: probing,
            scope: .wholeRun, help: "the user who runs probes of the kind command",
            manual: [
                "The user who runs the programs of command: probes, a user of /etc/passwd.",
                "If wifi-toggler may not change users, nobody means its own user, and every other name is refused.",
            ]),
        OptionRow(
            name: .force, short: "f", kind: .flag, defaultText: "no", commands: acting,
            help: "bounce even when healthy: the plain timer",
            manual: ["Bounce even when healthy: the plain timer."]),
        OptionRow(
            name: .bounceOn, kind: .layers, defaultText: "association,address,gateway",
            commands: choosing, ownExample: "association,gateway",
            help: "the layers whose faults are bounced on",
            manual: [
                "The layers whose faults are bounced on, separated by commas; see wifi-toggler-recovery(7).",
                "Any of association, address, gateway, dns, internet and portal.",
            ]),
        OptionRow(
            name: .fall, kind: .count(1...100), defaultText: "3", commands: choosing,
            help: "sick verdicts in a row that make it sick",
            manual: ["How many sick verdicts in a row make the health sick."]),
        OptionRow(
            name: .rise, kind: .count(1...100), defaultText: "2", commands: choosing,
            help: "healthy verdicts in a row that make it healthy",
            manual: ["How many healthy verdicts in a row make the health healthy again."]),
        OptionRow(
            name: .recheck, kind: .duration(.milliseconds(10)...Span.month),
            defaultText: "5s", commands: acting, help: "time between probes while suspect",
            manual: ["Time between probes while the link is suspect."]),
        OptionRow(
            name: .timeout, kind: .duration(.milliseconds(1)...Span.minute),
            defaultText: "2s", commands: probing, help: "how long one probe waits for its answer",
            manual: ["How long one probe waits for its answer."]),
        OptionRow(
            name: .degradedLoss, kind: .percent(0...100), defaultText: "20", commands: serving,
            help: "loss in per cent that makes it degraded",
            manual: [
                "The share of lost probes, in per cent, from which the link is called degraded.",
                "That is reported, and never leads to a bounce; see wifi-toggler-probes(7).",
                "With 0 the link is never called degraded for this, and losses by chance are not taken into account.",
            ]),
        OptionRow(
            name: .degradedLatency, kind: .duration(.zero...Span.minute), defaultText: "500ms",
            commands: serving, help: "median round trip that makes it degraded",
            manual: [
                "The median round trip of the probes from which the link is called degraded.",
                "That is reported, and never leads to a bounce; see wifi-toggler-probes(7).",
                "With 0 the link is never called degraded for this.",
            ]),
    ]

    private static let bouncing: [OptionRow] = [
        OptionRow(
            name: .delay, short: "d", kind: .duration(.zero...Span.minute), defaultText: "3s",
            commands: acting, help: "how long the link is kept down",
            manual: [
                "How long the link is kept down.",
                "Above 5s NetworkManager may give up on the link; a warning says so.",
            ]),
        OptionRow(
            name: .settle, kind: .duration(.zero...Span.minute * 10), defaultText: "30s",
            commands: acting, help: "how long a bounce may take to come back",
            manual: [
                "How long to wait after a bounce for carrier, address and a good probe.",
                "With 0 the bounce is not verified.",
            ]),
        OptionRow(
            name: .restore, kind: .yesOrNo, defaultText: "yes", commands: acting,
            help: "restore lost routes that nobody else restores",
            manual: [
                "Restore the routes and addresses that a bounce cost and that no other program restores.",
                "These are routes of protocol boot and static, and addresses without a lifetime.",
                "With no they are only reported.",
            ]),
        OptionRow(
            name: .noFastReconnect, kind: .flag, defaultText: "no", commands: acting,
            help: "do not abort the owner's first scan",
            manual: [
                "Do not abort the scan by which the owner of a station looks for its network after a bounce;"
                    + " see wifi-toggler-recovery(7), FAST RECONNECT."
            ]),
        OptionRow(
            name: .method, kind: .method, defaultText: "auto", commands: acting,
            ownExample: "auto,reset", help: "what to try, gentlest first",
            manual: [
                "What to try, separated by commas; see wifi-toggler-recovery(7).",
                "With auto: what the evidence calls for.",
                "Otherwise any of reassociate, owner, restart-owner, bounce, rfkill, rebind, reset, hook:PATH and reboot;"
                    + " what is not named is not tried.",
                "They are tried in this order, however they are given, until one has helped.",
                "The last, reboot, is for run alone, and only for an outage in which all others have failed: see"
                    + " --reboot-after.",
                "rfkill, rebind, reset and hook:PATH may also follow auto, such as auto,reset: they are tried if what"
                    + " the evidence calls for has not helped.",
            ]),
    ]

    private static let keeping: [OptionRow] = [
        OptionRow(
            name: .powerSave, kind: .powerSave, defaultText: "leave", commands: acting,
            ownExample: "off", help: "whether power saving is kept off",
            manual: [
                "With off: keep the power saving of the radio off, at each check and each association; see"
                    + " wifi-toggler-recovery(7), POWER SAVING.",
                "With leave: leave it to the owner and the driver.",
            ]),
        OptionRow(
            name: .announce, kind: .flag, defaultText: "no", commands: acting,
            help: "tell the neighbours the addresses of a healthy link",
            manual: [
                "With each healthy check, announce the addresses of the link to its neighbours: IPv4 addresses by"
                    + " gratuitous ARP, IPv6 addresses by unsolicited neighbour advertisements, which need"
                    + " CAP_NET_RAW; see wifi-toggler-recovery(7), ANNOUNCEMENTS."
            ]),
    ]

    private static let pacing: [OptionRow] = [
        OptionRow(
            name: .backoff, kind: .duration(.zero...Span.day), defaultText: "60s",
            commands: choosing, help: "first time between bounces of one outage",
            manual: [
                "Time between the first two bounces of one outage.",
                "It doubles with each further bounce, with 10 % of jitter, and starts again after 10 minutes of"
                    + " health.",
                "If it is more than a --backoff-max that is given elsewhere, it raises that one too.",
            ]),
        OptionRow(
            name: .backoffMaximum, kind: .duration(.zero...Span.month), defaultText: "1h",
            commands: choosing, help: "the longest time between bounces",
            manual: [
                "The longest time between two bounces of one outage.",
                "After 3 bounces in a row that changed nothing, it is the time between all further ones, until"
                    + " the network changes.",
                "If it is less than a --backoff that is given elsewhere, it lowers that one too.",
            ]),
        OptionRow(
            name: .grace, kind: .duration(.zero...Span.day), defaultText: "60s",
            commands: serving, help: "time without a bounce after boot or appearance",
            manual: [
                "How long a sick link is left to its owner after the machine has started, and after the"
                    + " interface has appeared.",
                "With --force it is bounced all the same.",
            ]),
        OptionRow(
            name: .rebootAfter, kind: .duration(Span.minute...Span.day), defaultText: "15m",
            commands: serving, help: "time of outage before the method reboot",
            manual: [
                "How long an outage lasts, in which all other methods have failed, before the method reboot.",
                "Without that method it has no effect; see wifi-toggler-recovery(7), REBOOTING.",
            ]),
        OptionRow(
            name: .quietHours, kind: .quietWindow, defaultText: "none", commands: choosing,
            ownExample: "22:00-06:30", help: "hours without a bounce; repeat for several",
            manual: [
                "Hours of local time in which there is no bounce, not even with --force.",
                "A link that is sick then is bounced when they are over, if it still is.",
                "A WINDOW is two times of the day, optionally with days of the week and a space before them:"
                    + " 22:00-06:30, mon-fri 08:00-18:00, sat,sun 00:00-24:00.",
                "A window that ends no later than it begins ends on the next day; its days are those on which"
                    + " it begins.",
                "May be repeated, in the configuration file with a line for each; windows that touch are one.",
                "A more specific section of the file replaces those of the others, and none removes all that"
                    + " were given before it.",
                "If a change of the clocks leaves out or repeats the end, it is what mktime(3) takes it for.",
            ]),
        OptionRow(
            name: .evenIfInUse, kind: .flag, defaultText: "no", commands: choosing,
            help: "bounce while a user is logged in over it",
            manual: [
                "Bounce even while a user is logged in over this link; see wifi-toggler-recovery(7), LOGINS."
            ]),
        OptionRow(
            name: .budget, kind: .count(1...3600), defaultText: "6", commands: choosing,
            help: "recoveries per hour at most",
            manual: ["Recoveries of one interface within any hour at most, whichever methods they try."]),
        OptionRow(
            name: .dailyBudget, kind: .count(1...3600), defaultText: "24", commands: choosing,
            help: "recoveries per day at most",
            manual: [
                "Recoveries of one interface within any 24 hours at most, whichever methods they try.",
                "Of these at most 3 restart an owner.",
            ]),
        OptionRow(
            name: .wait, kind: .duration(.zero...Span.hour), defaultText: "10s",
            commands: locking, scope: .wholeRun, help: "how long to wait for another run's lock",
            manual: ["How long to wait for another run's lock on the same interface."]),
    ]

    private static let running: [OptionRow] = [
        OptionRow(
            name: .dryRun, short: "n", kind: .flag, defaultText: "no", commands: locking,
            help: "decide and report, change nothing",
            manual: [
                "Decide and report what would be done, change nothing.",
                "In [default] it applies to every interface of a service, until the service is restarted: it then"
                    + " writes no history and no metrics, and status does not find it.",
            ]),
        OptionRow(
            name: .anyInterface, kind: .flag, defaultText: "no", commands: everywhere,
            help: "also interfaces that are not Wi-Fi",
            manual: [
                "Also accept interfaces that are not Wi-Fi.",
                "You must name them; without this option such an interface is refused.",
            ]),
        OptionRow(
            name: .config, kind: .file, defaultText: "/etc/wifi-toggler.conf",
            commands: everywhere + [.status, .history], scope: .commandLine,
            help: "the configuration file",
            manual: [
                "The configuration file; see wifi-toggler.conf(5).",
                "A file named this way must exist; the one in the usual place need not.",
            ]),
        OptionRow(
            name: .stateDirectory, kind: .directory, defaultText: "/var/lib/wifi-toggler",
            commands: filing + [.doctor, .history], scope: .wholeRun,
            help: "directory of what was learned and the history",
            manual: ["The directory for what was learned, and for the history."]),
        OptionRow(
            name: .runDirectory, kind: .directory, defaultText: "/run/wifi-toggler",
            commands: filing + [.hold, .doctor, .status], scope: .wholeRun,
            help: "directory of locks and the control socket",
            manual: [
                "The directory for the locks of the interfaces, the records of bounces under way, holds, and"
                    + " the control socket of the service."
            ]),
        OptionRow(
            name: .metrics, kind: .file, defaultText: "none", commands: serving, scope: .wholeRun,
            ownExample: "/var/lib/prometheus/node-exporter/wifi-toggler.prom",
            help: "file of metrics for Prometheus",
            manual: [
                "Keep metrics for Prometheus in this file, which is replaced as a whole; see"
                    + " wifi-toggler-output(5), METRICS.",
                "Its directory must exist; for node_exporter its name must end in .prom.",
                "With none no file is written.",
            ]),
        OptionRow(
            name: .hooksDirectory, kind: .absoluteDirectory,
            defaultText: "/etc/wifi-toggler/hooks.d",
            commands: serving, scope: .wholeRun, help: "directory of hooks, run when something changes",
            manual: [
                "The directory of programs that are run when something changes, an absolute path; see"
                    + " wifi-toggler-output(5), HOOKS.",
                "It need not exist; with none no program is run.",
            ]),
    ]

    private static let asking: [OptionRow] = [
        OptionRow(
            name: .record, kind: .file, commands: probing,
            scope: .commandLine, ownExample: "/var/lib/wifi-toggler/trace",
            help: "write a trace for 'replay'",
            manual: [
                "Record every event and the decisions on it, for replay; see wifi-toggler-output(5), TRACES.",
                "The file is created if it does not exist; else the trace is appended to it.",
            ]),
        OptionRow(
            name: .check, kind: .flag, commands: serving,
            scope: .commandLine, help: "validate and print the settings, and exit",
            manual: [
                "Validate the command line and the configuration file, print the resulting settings, and exit.",
                "The output is itself a configuration file that means the same without a command line.",
                "With --quiet only mistakes are printed.",
                "Nothing is watched, and no privilege is needed.",
            ]),
        OptionRow(
            name: .watch, kind: .flag, commands: [.status],
            scope: .commandLine, help: "stay, and show every change as it comes",
            manual: [
                "Stay and show every change; on a terminal q ends it.",
                "See wifi-toggler-output(5), TEXT.",
            ]),
        OptionRow(
            name: .since, kind: .instant, commands: [.history],
            scope: .commandLine, ownExample: "7d", help: "leave out what was over before T",
            manual: [
                "Leave out what was over before this moment.",
                "T is a duration (7d: seven days ago), a day (2026-02-03: its beginning in UTC), or a time with"
                    + " its zone (2026-02-03T04:05:06Z, 2026-02-03T05:05:06+01:00).",
            ]),
        OptionRow(
            name: .page, kind: .file, commands: [.history],
            scope: .commandLine, ownExample: "history.html",
            help: "write the history as a page for a browser",
            manual: [
                "Write the history as one page for a browser to FILE, or to standard output for -; see"
                    + " wifi-toggler-output(5), THE HISTORY."
            ]),
        OptionRow(
            name: .json, kind: .flag, defaultText: "no",
            commands: filing + [.list, .doctor, .status, .history],
            scope: .wholeRun, help: "one JSON object a line on standard output",
            manual: ["Write one JSON object a line to standard output; see wifi-toggler-output(5), JSON."]),
        OptionRow(
            name: .quiet, short: "q", kind: .flag, defaultText: "no", commands: speaking,
            scope: .wholeRun, help: "errors only", manual: ["Write errors only."]),
        OptionRow(
            name: .verbose, short: "v", kind: .flag, defaultText: "no", commands: speaking,
            scope: .wholeRun, help: "healthy cycles too, and the reasoning",
            manual: [
                "Write more: also the cycles that find the link healthy, and the reasoning behind each verdict.",
                "Of --quiet and --verbose the last one given counts.",
            ]),
        OptionRow(
            name: .log, kind: .log, defaultText: "auto", commands: speaking, scope: .wholeRun,
            ownExample: "syslog", help: "auto, stderr, journal or syslog",
            manual: [
                "Where messages other than results go: auto, stderr, journal or syslog; see"
                    + " wifi-toggler-output(5), LOG.",
                "With auto it is the journal if the journal reads standard error, else standard error.",
            ]),
        OptionRow(
            name: .help, short: "h", kind: .flag, commands: Command.allCases,
            scope: .commandLine, help: "this text",
            manual: ["Print the usage, after a command that of the command, and exit."]),
        OptionRow(
            name: .version, short: "V", kind: .flag, commands: Command.allCases,
            scope: .commandLine, help: "the version", manual: ["Print the version and exit."]),
    ]
}

/// Durations for the ranges in the table.
private enum Span {
    static let minute: Duration = .seconds(60)
    static let hour: Duration = minute * 60
    static let day: Duration = hour * 24
    static let month: Duration = day * 30
}
