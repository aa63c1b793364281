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
                "The time from the start of one check of a link to the start of the next; the first check"
                    + " starts at once.",
                "The schedule does not drift: the duration of a check does not shift the later ones.",
            ]),
        OptionRow(
            name: .probe, short: "p", kind: .probe, defaultText: "auto", commands: probing,
            ownExample: "icmp:192.0.2.1",
            help: "what to probe; repeat for several",
            manual: [
                "How to find out whether the link is healthy; see wifi-toggler-probes(7).",
                "You can give several probes; the first one that you give replaces the default.",
            ]),
        OptionRow(
            name: .quorum, kind: .count(1...16), defaultText: "1", commands: probing,
            ownExample: "2", help: "how many probes of each layer must succeed",
            manual: [
                "How many of the probes of each layer must succeed.",
                "If a layer has fewer probes than that, all of them must succeed.",
                "A probe with a leading + must always succeed.",
            ]),
        OptionRow(
            name: .commandUser, kind: .user, defaultText: "nobody", commands: probing,
            scope: .wholeRun, help: "the user who runs probes of the kind command",
            manual: [
                "The user who runs the programs of command: probes; /etc/passwd must list this user.",
                "If wifi-toggler cannot change to another user, the name nobody stands for its own user, and"
                    + " any name except these two is refused.",
            ]),
        OptionRow(
            name: .force, short: "f", kind: .flag, defaultText: "no", commands: acting,
            help: "bounce the link even when it is healthy",
            manual: [
                "Bounce the link even when it is healthy.",
                "With this option, run bounces the link at every interval, as a plain timer would.",
                "toggle bounces the link in any case, even without this option.",
            ]),
        OptionRow(
            name: .bounceOn, kind: .layers, defaultText: "association,address,gateway",
            commands: choosing, ownExample: "association,gateway",
            help: "the layers whose faults lead to a bounce",
            manual: [
                "The layers whose faults lead to a bounce, separated by commas; see"
                    + " wifi-toggler-recovery(7).",
                "Any of association, address, gateway, dns, internet and portal.",
            ]),
        OptionRow(
            name: .fall, kind: .count(1...100), defaultText: "3", commands: choosing,
            help: "sick verdicts in a row that make the link sick",
            manual: ["How many sick verdicts in a row change the health of the link to sick."]),
        OptionRow(
            name: .rise, kind: .count(1...100), defaultText: "2", commands: choosing,
            help: "healthy verdicts in a row that make the link healthy",
            manual: ["How many healthy verdicts in a row change the health of the link back to healthy."]),
        OptionRow(
            name: .recheck, kind: .duration(.milliseconds(10)...Span.month),
            defaultText: "5s", commands: acting, help: "time between checks while the link is suspect",
            manual: [
                "The time between checks while the link is suspect.",
                "A link is suspect while its last verdicts contradict its health, such as after a first"
                    + " sick verdict.",
            ]),
        OptionRow(
            name: .timeout, kind: .duration(.milliseconds(1)...Span.minute),
            defaultText: "2s", commands: probing, help: "how long one probe waits for its answer",
            manual: ["How long one probe waits for its answer."]),
        OptionRow(
            name: .degradedLoss, kind: .percent(0...100), defaultText: "20", commands: serving,
            help: "loss in per cent that makes the link degraded",
            manual: [
                "If this share of the probes, in per cent, is lost, the program calls the link degraded.",
                "It reports a degraded link, but never bounces it for that; see wifi-toggler-probes(7).",
                "With 0, losses never make a link degraded, and never raise the number of sick verdicts above"
                    + " --fall.",
            ]),
        OptionRow(
            name: .degradedLatency, kind: .duration(.zero...Span.minute), defaultText: "500ms",
            commands: serving, help: "median round trip that makes the link degraded",
            manual: [
                "If the median round trip of the probes is this long or longer, the program calls the"
                    + " link degraded.",
                "It reports a degraded link, but never bounces it for that; see wifi-toggler-probes(7).",
                "With 0 the program never calls a link degraded because of its round trips.",
            ]),
    ]

    private static let bouncing: [OptionRow] = [
        OptionRow(
            name: .delay, short: "d", kind: .duration(.zero...Span.minute), defaultText: "3s",
            commands: acting, help: "how long the link is kept down",
            manual: [
                "How long a bounce keeps the link down.",
                "If this is longer than 5s, NetworkManager may give up on the link; the program then warns.",
            ]),
        OptionRow(
            name: .settle, kind: .duration(.zero...Span.minute * 10), defaultText: "30s",
            commands: acting, help: "how long the link may take to come back",
            manual: [
                "How long the program waits at most, after a bounce, for carrier, an address, and a probe"
                    + " that finds the link healthy.",
                "With the value 0, the program does not verify the bounce.",
            ]),
        OptionRow(
            name: .restore, kind: .yesOrNo, defaultText: "yes", commands: acting,
            help: "restore lost routes and addresses that nobody else restores",
            manual: [
                "Restore the routes and addresses that were lost in a bounce and that no other program"
                    + " restores.",
                "These are routes of protocol boot and static, and addresses without a lifetime.",
                "With the value no, the program restores nothing, and only reports what was lost.",
            ]),
        OptionRow(
            name: .noFastReconnect, kind: .flag, defaultText: "no", commands: acting,
            help: "do not abort the owner's first scan",
            manual: [
                "Do not abort the scan by which the owner of a station looks for its network after a"
                    + " bounce; see wifi-toggler-recovery(7), FAST RECONNECT."
            ]),
        OptionRow(
            name: .method, kind: .method, defaultText: "auto", commands: acting,
            ownExample: "auto,reset", help: "methods to recover a sick link",
            manual: [
                "The methods by which a sick link is recovered, separated by commas; see"
                    + " wifi-toggler-recovery(7), METHODS.",
                "With auto, the program chooses from owner, restart-owner, bounce and reset what fits the fault.",
                "Instead, you can name the methods yourself: any of reassociate, owner, restart-owner, bounce,"
                    + " rfkill, rebind, reset, hook:PATH and reboot.",
                "The program tries only the methods that you name, one after the other in the order of this"
                    + " list, until the link is healthy.",
                "After auto you can also name rfkill, rebind, reset, hook:PATH and reboot: with auto,reset the"
                    + " program tries reset if the methods that auto has chosen did not help.",
                "Only run uses reboot, and only after all other methods that you name, and those that auto has"
                    + " chosen, have failed in the same outage; see --reboot-after.",
            ]),
    ]

    private static let keeping: [OptionRow] = [
        OptionRow(
            name: .powerSave, kind: .powerSave, defaultText: "leave", commands: acting,
            ownExample: "off", help: "whether power saving is kept off",
            manual: [
                "With off, the program keeps the power saving of the radio off: with each check of the link"
                    + " and each association, it switches power saving off if it is on; see"
                    + " wifi-toggler-recovery(7), POWER SAVING.",
                "With auto, the program keeps power saving off only if a driver file says so for the driver"
                    + " of the interface, because this driver has a known fault that power saving causes.",
                "With leave, the owner and the driver decide.",
            ]),
        OptionRow(
            name: .announce, kind: .flag, defaultText: "no", commands: acting,
            help: "tell the neighbours the addresses of a healthy link",
            manual: [
                "With each healthy check, announce the addresses of the link to its neighbours; see"
                    + " wifi-toggler-recovery(7), ANNOUNCEMENTS.",
                "IPv4 addresses are announced by gratuitous ARP, and IPv6 addresses by unsolicited"
                    + " neighbour advertisements, which need CAP_NET_RAW.",
            ]),
    ]

    private static let pacing: [OptionRow] = [
        OptionRow(
            name: .backoff, kind: .duration(.zero...Span.day), defaultText: "60s",
            commands: choosing, help: "time between the first two bounces of an outage",
            manual: [
                "The time between the first two bounces of one outage.",
                "It doubles with each further bounce, with 10 % of jitter, and starts again at this value"
                    + " after 10 minutes of health.",
                "If a less specific source (the file instead of the command line, or a more general"
                    + " section) gives a shorter --backoff-max, the program raises --backoff-max to the"
                    + " value of --backoff.",
            ]),
        OptionRow(
            name: .backoffMaximum, kind: .duration(.zero...Span.month), defaultText: "1h",
            commands: choosing, help: "the longest time between bounces",
            manual: [
                "The longest time between two bounces of one outage, without the jitter.",
                "After 3 bounces in a row that changed nothing, the program waits this long before each"
                    + " further one, until one helps or the network changes.",
                "If a less specific source (the file instead of the command line, or a more general"
                    + " section) gives a longer --backoff, the program lowers --backoff to the"
                    + " value of --backoff-max.",
            ]),
        OptionRow(
            name: .grace, kind: .duration(.zero...Span.day), defaultText: "60s",
            commands: serving, help: "time after boot or hotplug without a bounce",
            manual: [
                "After the machine has started, and after the interface has appeared, the program does"
                    + " not bounce a sick link for this time: its owner may still be connecting it.",
                "With --force the program bounces it all the same.",
            ]),
        OptionRow(
            name: .rebootAfter, kind: .duration(Span.minute...Span.day), defaultText: "15m",
            commands: serving, help: "how long an outage lasts before the method reboot",
            manual: [
                "How long an outage must have lasted before the method reboot is used; all other methods"
                    + " must have failed in that outage.",
                "Without the method reboot this option has no effect; see wifi-toggler-recovery(7), REBOOTING.",
            ]),
        OptionRow(
            name: .quietHours, kind: .quietWindow, defaultText: "none", commands: choosing,
            ownExample: "22:00-06:30", help: "hours without a bounce; repeat for several",
            manual: [
                "Hours of local time in which the program does not bounce, not even with --force.",
                "In these hours no method is tried at all: the owner is neither asked to connect again nor"
                    + " restarted.",
                "If a link is sick during these hours, it is bounced when they are over, unless it has"
                    + " recovered by then.",
                "A WINDOW consists of two times of the day, optionally preceded by days of the week and a"
                    + " space: 22:00-06:30, mon-fri 08:00-18:00, sat,sun 00:00-24:00.",
                "If the end of a window is earlier in the day than its beginning, the window ends on the next"
                    + " day, and its days are those on which it begins.",
                "The two times must differ.",
                "You can give several windows, separated by commas or by repeating the option; windows that"
                    + " overlap or adjoin are joined.",
                "In the configuration file, the windows of a more specific section replace those of less"
                    + " specific ones; the value none removes all windows that were given before it.",
                "If a change of the clocks skips or repeats the time at which a window ends, mktime(3)"
                    + " determines the end.",
            ]),
        OptionRow(
            name: .evenIfInUse, kind: .flag, defaultText: "no", commands: choosing,
            help: "bounce even while a user is logged in over the link",
            manual: [
                "Bounce even while a user is logged in over this link, and reboot even while any user is logged"
                    + " in; see wifi-toggler-recovery(7), LOGINS and REBOOTING."
            ]),
        OptionRow(
            name: .budget, kind: .count(1...3600), defaultText: "6", commands: choosing,
            help: "recoveries per hour at most",
            manual: ["The most recoveries of one interface within any hour, whichever methods they use."]),
        OptionRow(
            name: .dailyBudget, kind: .count(1...3600), defaultText: "24", commands: choosing,
            help: "recoveries per day at most",
            manual: [
                "The most recoveries of one interface within any 24 hours, whichever methods they use.",
                "At most 3 of them restart an owner or, with auto, reset a radio that refuses to work.",
            ]),
        OptionRow(
            name: .wait, kind: .duration(.zero...Span.hour), defaultText: "10s",
            commands: locking, scope: .wholeRun, help: "how long to wait for another run's lock",
            manual: ["How long to wait for the lock of the interface while another run has it."]),
    ]

    private static let running: [OptionRow] = [
        OptionRow(
            name: .dryRun, short: "n", kind: .flag, defaultText: "no", commands: locking,
            help: "decide and report, change nothing",
            manual: [
                "Decide and report what would be done, but change nothing.",
                "In [default] this applies to every interface of a service until the service is restarted.",
                "Such a service takes no locks, so another run may be writing the history and the metrics at"
                    + " the same time: the service therefore writes neither.",
                "It has no control socket, so the command status does not find it.",
                "To try the program for a while, set dry-run in a section such as [wl*]: the service then keeps its"
                    + " locks, status, metrics and history, and the history has what the service would have done.",
            ]),
        OptionRow(
            name: .anyInterface, kind: .flag, defaultText: "no", commands: everywhere,
            help: "also accept interfaces that are not Wi-Fi",
            manual: [
                "Also accept interfaces that are not Wi-Fi stations, if you name them.",
                "Without this option such an interface is refused.",
            ]),
        OptionRow(
            name: .config, kind: .file, defaultText: "/etc/wifi-toggler.conf",
            commands: everywhere + [.status, .history], scope: .commandLine,
            help: "the configuration file",
            manual: [
                "The configuration file; see wifi-toggler.conf(5).",
                "A file that you name must exist; the default file need not.",
            ]),
        OptionRow(
            name: .stateDirectory, kind: .directory, defaultText: "/var/lib/wifi-toggler",
            commands: filing + [.doctor, .history], scope: .wholeRun,
            help: "directory for the history and what was learned",
            manual: [
                "The directory for the history, and for what the program has learned and remembers for"
                    + " its next run."
            ]),
        OptionRow(
            name: .runDirectory, kind: .directory, defaultText: "/run/wifi-toggler",
            commands: filing + [.hold, .doctor, .status], scope: .wholeRun,
            help: "directory of locks and the control socket",
            manual: [
                "The directory for the locks of the interfaces, the records of bounces in progress, the"
                    + " holds, and the control socket of the service."
            ]),
        OptionRow(
            name: .metrics, kind: .file, defaultText: "none", commands: serving, scope: .wholeRun,
            ownExample: "/var/lib/prometheus/node-exporter/wifi-toggler.prom",
            help: "file of metrics for Prometheus",
            manual: [
                "Write metrics for Prometheus to this file; see wifi-toggler-output(5), METRICS.",
                "Each update replaces the whole file.",
                "Its directory must exist; for node_exporter the file's name must end in .prom.",
                "With the value none, no file is written.",
            ]),
        OptionRow(
            name: .hooksDirectory, kind: .absoluteDirectory,
            defaultText: "/etc/wifi-toggler/hooks.d",
            commands: serving, scope: .wholeRun, help: "directory of hooks, run when something changes",
            manual: [
                "The directory of the hooks, the programs that the service runs when something changes;"
                    + " see wifi-toggler-output(5), HOOKS.",
                "The path must be absolute; the directory need not exist.",
                "With the value none, no program is run.",
            ]),
    ]

    private static let asking: [OptionRow] = [
        OptionRow(
            name: .record, kind: .file, commands: probing,
            scope: .commandLine, ownExample: "/var/lib/wifi-toggler/trace",
            help: "write a trace for 'replay'",
            manual: [
                "Record every event and the resulting decisions in a trace, for the command replay; see"
                    + " wifi-toggler-output(5), TRACES.",
                "If the file does not exist, it is created; otherwise the new trace is appended.",
            ]),
        OptionRow(
            name: .check, kind: .flag, commands: serving,
            scope: .commandLine, help: "validate and print the settings, and exit",
            manual: [
                "Validate the command line and the configuration file, print the resulting settings, and"
                    + " exit.",
                "The output is itself a configuration file, which gives the same settings without other"
                    + " options.",
                "With --quiet only mistakes are printed.",
                "The command watches no interface, and needs no privilege.",
            ]),
        OptionRow(
            name: .watch, kind: .flag, commands: [.status],
            scope: .commandLine, help: "stay, and show every change as it comes",
            manual: [
                "Keep running and show every change; on a terminal, q ends the command.",
                "See wifi-toggler-output(5), TEXT.",
            ]),
        OptionRow(
            name: .since, kind: .instant, commands: [.history],
            scope: .commandLine, ownExample: "7d", help: "leave out what was over before T",
            manual: [
                "Leave out all outages and bounces that were over before the moment T.",
                "T is a duration (7d: seven days ago), a day (2026-02-03: its beginning in UTC), or a"
                    + " time with its zone (2026-02-03T04:05:06Z, 2026-02-03T05:05:06+01:00).",
            ]),
        OptionRow(
            name: .page, kind: .file, commands: [.history],
            scope: .commandLine, ownExample: "history.html",
            help: "write the history as a page for a browser",
            manual: [
                "Write the history as one page for a browser to FILE; if FILE is -, to standard output.",
                "See wifi-toggler-output(5), THE HISTORY.",
            ]),
        OptionRow(
            name: .json, kind: .flag, defaultText: "no",
            commands: filing + [.list, .doctor, .status, .history],
            scope: .wholeRun, help: "one JSON object per line on standard output",
            manual: ["Write one JSON object per line to standard output; see wifi-toggler-output(5), JSON."]),
        OptionRow(
            name: .quiet, short: "q", kind: .flag, defaultText: "no", commands: speaking,
            scope: .wholeRun, help: "errors only", manual: ["Write errors only."]),
        OptionRow(
            name: .verbose, short: "v", kind: .flag, defaultText: "no", commands: speaking,
            scope: .wholeRun, help: "healthy cycles too, and the reasoning",
            manual: [
                "Write more: also the cycles that find the link healthy, and the reasoning behind each"
                    + " verdict.",
                "If both --quiet and --verbose are given, the last one counts.",
            ]),
        OptionRow(
            name: .log, kind: .log, defaultText: "auto", commands: speaking, scope: .wholeRun,
            ownExample: "syslog", help: "where to log: auto, stderr, journal or syslog",
            manual: [
                "Where to send messages that are not results: auto, stderr, journal or syslog; see"
                    + " wifi-toggler-output(5), LOG.",
                "With auto, run sends them to the journal if the journal reads its standard error, to"
                    + " syslog if its standard error is /dev/null, and else to standard error; the other"
                    + " commands use standard error.",
            ]),
        OptionRow(
            name: .help, short: "h", kind: .flag, commands: Command.allCases,
            scope: .commandLine, help: "this text",
            manual: ["Print the usage of the command, or of the program if no command is given, and exit."]),
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
