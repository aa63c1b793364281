/// The one table of options: the parser, the help texts, the manual page and the completions of the
/// shells are made from it.
enum OptionTable {
    static let rows = deciding + bouncing + pacing + running + asking

    static let longestHold = Span.month

    static func row(_ name: OptionName) -> OptionRow {
        // Every name has its row: a test checks that.
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
            defaultText: "60s", commands: serving, scope: .interface, example: "60s",
            help: "time between cycles",
            manual: ["Time between cycles; the first comes at once.", "Cycles do not drift."]),
        OptionRow(
            name: .probe, short: "p", kind: .probe, defaultText: "auto", commands: probing,
            scope: .interface, example: "icmp:192.0.2.1",
            help: "what to ask; repeat for several",
            manual: [
                "What to ask to know whether the link is healthy; see PROBES.",
                "May be repeated; the first one given replaces the default.",
            ]),
        OptionRow(
            name: .quorum, short: nil, kind: .count(1...16), defaultText: "1", commands: probing,
            scope: .interface, example: "2", help: "so many probes of each layer must succeed",
            manual: [
                "So many of the probes of each layer must succeed, or all where fewer are configured.",
                "Those with a leading + must succeed in any case.",
            ]),
        OptionRow(
            name: .commandUser, short: nil, kind: .user, defaultText: "nobody", commands: probing,
            scope: .wholeRun, example: "nobody", help: "as whom commands are run that probe",
            manual: [
                "As whom the programs of command: are run, a user of /etc/passwd.",
                "Where wifi-toggler may not change users, nobody means its own user,"
                    + " and every other name is refused.",
            ]),
        OptionRow(
            name: .force, short: "f", kind: .flag, defaultText: "no", commands: acting,
            scope: .interface, example: "yes", help: "bounce even when healthy: the plain timer",
            manual: ["Bounce even when healthy: the plain timer."]),
        OptionRow(
            name: .bounceOn, short: nil, kind: .layers, defaultText: "association,address,gateway",
            commands: choosing, scope: .interface, example: "association,gateway",
            help: "the layers whose faults are bounced on",
            manual: [
                "The layers whose faults are bounced on, separated by commas; see HOW IT DECIDES.",
                "Any of association, address, gateway, dns, internet and portal.",
            ]),
        OptionRow(
            name: .fall, short: nil, kind: .count(1...100), defaultText: "3", commands: choosing,
            scope: .interface, example: "3", help: "sick verdicts in a row that make it sick",
            manual: ["How many sick verdicts in a row make the health sick."]),
        OptionRow(
            name: .rise, short: nil, kind: .count(1...100), defaultText: "2", commands: choosing,
            scope: .interface, example: "2", help: "healthy verdicts in a row that make it healthy",
            manual: ["How many healthy verdicts in a row make the health healthy again."]),
        OptionRow(
            name: .recheck, short: nil, kind: .duration(.milliseconds(10)...Span.month),
            defaultText: "5s", commands: acting, scope: .interface, example: "5s",
            help: "time between probes while suspect",
            manual: ["Time between probes while the link is suspect."]),
        OptionRow(
            name: .timeout, short: nil, kind: .duration(.milliseconds(1)...Span.minute),
            defaultText: "2s", commands: probing, scope: .interface, example: "2s",
            help: "for one probe", manual: ["How long one probe waits for its answer."]),
        OptionRow(
            name: .degradedLoss, short: nil, kind: .percent(0...100), defaultText: "20", commands: serving,
            scope: .interface, example: "20", help: "lost probes that make it degraded",
            manual: [
                "The share of lost probes, in per cent, from which on the link is called degraded, which is said"
                    + " and never bounced on; see DEGRADED LINKS.",
                "With 0 it never is, and what is lost by chance is not reckoned with.",
            ]),
        OptionRow(
            name: .degradedLatency, short: nil, kind: .duration(.zero...Span.minute), defaultText: "500ms",
            commands: serving, scope: .interface, example: "500ms",
            help: "median round trip that makes it degraded",
            manual: [
                "The median round trip of the probes from which on the link is called degraded, which is said"
                    + " and never bounced on; see DEGRADED LINKS.",
                "With 0 it never is.",
            ]),
    ]

    private static let bouncing: [OptionRow] = [
        OptionRow(
            name: .delay, short: "d", kind: .duration(.zero...Span.minute), defaultText: "3s",
            commands: acting, scope: .interface, example: "3s", help: "how long the link is held down",
            manual: [
                "How long the link is held down.",
                "Above 5s NetworkManager may give up on the link, which is said as a warning.",
            ]),
        OptionRow(
            name: .settle, short: nil, kind: .duration(.zero...Span.minute * 10), defaultText: "30s",
            commands: acting, scope: .interface, example: "30s",
            help: "how long a bounce may take to come back",
            manual: [
                "How long to wait after a bounce for carrier, address and a good probe.",
                "With 0 the bounce is not verified.",
            ]),
        OptionRow(
            name: .restore, short: nil, kind: .yesOrNo, defaultText: "yes", commands: acting,
            scope: .interface, example: "yes", help: "put back routes that nobody else does",
            manual: [
                "Put back the routes and addresses that a bounce cost and that nobody else puts back.",
                "These are routes of protocol boot and static, and addresses without a lifetime.",
                "With no they are only reported.",
            ]),
        OptionRow(
            name: .noFastReconnect, short: nil, kind: .flag, defaultText: "no", commands: acting,
            scope: .interface, example: "yes", help: "leave the owner's first scan whole",
            manual: [
                "Leave the scan whole by which the owner of a station looks for its network after a bounce;"
                    + " see FAST RECONNECT."
            ]),
        OptionRow(
            name: .method, short: nil, kind: .method, defaultText: "auto", commands: acting,
            scope: .interface, example: "reassociate,bounce", help: "what to try, gentlest first",
            manual: [
                "What to try, separated by commas; see METHODS.",
                "With auto: what the evidence calls for.",
                "Otherwise any of reassociate, owner, bounce, rfkill, rebind and hook:PATH,"
                    + " tried in this order, however they are given, until one has helped.",
            ]),
    ]

    private static let pacing: [OptionRow] = [
        OptionRow(
            name: .backoff, short: nil, kind: .duration(.zero...Span.day), defaultText: "60s",
            commands: choosing, scope: .interface, example: "60s",
            help: "first time between bounces of one outage",
            manual: [
                "Time between the first two bounces of one outage.",
                "It doubles with each further bounce, with 10 % of jitter,"
                    + " and starts anew after 10 minutes of health.",
                "More than --backoff-max given elsewhere raises that one too.",
            ]),
        OptionRow(
            name: .backoffMaximum, short: nil, kind: .duration(.zero...Span.month), defaultText: "1h",
            commands: choosing, scope: .interface, example: "1h",
            help: "the longest time between bounces",
            manual: [
                "The longest time between two bounces of one outage.",
                "Where 3 bounces in a row have changed nothing it is the time between all further ones,"
                    + " until the network changes.",
                "Less than --backoff given elsewhere lowers that one too.",
            ]),
        OptionRow(
            name: .grace, short: nil, kind: .duration(.zero...Span.day), defaultText: "60s",
            commands: serving, scope: .interface, example: "60s",
            help: "time for others after boot and after it appears",
            manual: [
                "How long after the machine has started, and after the interface has appeared,"
                    + " a sick link is left to whoever manages it.",
                "With --force it is bounced all the same.",
            ]),
        OptionRow(
            name: .quietHours, short: nil, kind: .quietWindow, defaultText: "none", commands: choosing,
            scope: .interface, example: "22:00-06:30", help: "no bounce then; repeat for several",
            manual: [
                "Hours of local time in which there is no bounce, not even with --force;"
                    + " what is sick then is bounced when they are over, if it still is.",
                "A WINDOW is two times of the day, with days of the week and a blank before them or not:"
                    + " 22:00-06:30, mon-fri 08:00-18:00, sat,sun 00:00-24:00.",
                "One that ends no later than it begins ends on the next day; its days are those on which it"
                    + " begins.",
                "May be repeated, in the configuration file with a line for each; windows that touch are one.",
                "A more specific section of the file replaces those of the others,"
                    + " and none takes back all that were given before it.",
                "An end that a change of the clocks leaves out or repeats is what mktime(3) takes it for.",
            ]),
        OptionRow(
            name: .evenIfInUse, short: nil, kind: .flag, defaultText: "no", commands: choosing,
            scope: .interface, example: "yes", help: "also while someone is logged in over it",
            manual: ["Also bounce while somebody is logged in over that very link; see LOGINS."]),
        OptionRow(
            name: .budget, short: nil, kind: .count(1...3600), defaultText: "6", commands: choosing,
            scope: .interface, example: "6", help: "bounces per hour at most",
            manual: ["Bounces per hour at most."]),
        OptionRow(
            name: .wait, short: nil, kind: .duration(.zero...Span.hour), defaultText: "10s",
            commands: locking, scope: .wholeRun, example: "10s",
            help: "how long to wait for another run's lock",
            manual: ["How long to wait for another run's lock on the same interface."]),
    ]

    private static let running: [OptionRow] = [
        OptionRow(
            name: .dryRun, short: "n", kind: .flag, defaultText: "no", commands: locking,
            scope: .interface, example: "yes", help: "decide and say, change nothing",
            manual: [
                "Decide and say what would be done, change nothing.",
                "In [default] it holds for every interface of a service, and until that is restarted.",
            ]),
        OptionRow(
            name: .anyInterface, short: nil, kind: .flag, defaultText: "no", commands: everywhere,
            scope: .interface, example: "yes", help: "also interfaces that are not Wi-Fi",
            manual: [
                "Also take interfaces that are not Wi-Fi.",
                "They have to be named; without it such an interface is refused.",
            ]),
        OptionRow(
            name: .config, short: nil, kind: .file, defaultText: "/etc/wifi-toggler.conf",
            commands: everywhere + [.status, .history], scope: .commandLine,
            example: "/etc/wifi-toggler.conf",
            help: "the configuration file",
            manual: [
                "The configuration file; see wifi-toggler.conf(5).",
                "A file named this way must exist, the one in the usual place need not.",
            ]),
        OptionRow(
            name: .stateDirectory, short: nil, kind: .directory, defaultText: "/var/lib/wifi-toggler",
            commands: filing + [.doctor, .history], scope: .wholeRun, example: "/var/lib/wifi-toggler",
            help: "where what was learned is kept",
            manual: ["The directory for what was learned, and for the history."]),
        OptionRow(
            name: .runDirectory, short: nil, kind: .directory, defaultText: "/run/wifi-toggler",
            commands: filing + [.hold, .doctor, .status], scope: .wholeRun, example: "/run/wifi-toggler",
            help: "where the locks are",
            manual: [
                "The directory for the locks of the interfaces, the records of bounces under way,"
                    + " what is held, and the control socket of the service."
            ]),
        OptionRow(
            name: .metrics, short: nil, kind: .file, defaultText: "none", commands: serving, scope: .wholeRun,
            example: "/var/lib/prometheus/node-exporter/wifi-toggler.prom",
            help: "where metrics for Prometheus are kept",
            manual: [
                "Keep metrics for Prometheus in this file, which is replaced as a whole; see METRICS.",
                "Its directory must be there, and its name end in .prom for node_exporter.",
                "With none no file is written.",
            ]),
        OptionRow(
            name: .hooksDirectory, short: nil, kind: .absoluteDirectory,
            defaultText: "/etc/wifi-toggler/hooks.d",
            commands: serving, scope: .wholeRun, example: "/etc/wifi-toggler/hooks.d",
            help: "programs that are told of changes",
            manual: [
                "The directory of programs that are told of changes, an absolute path; see EVENTS.",
                "It need not be there; with none nobody is told.",
            ]),
    ]

    private static let asking: [OptionRow] = [
        OptionRow(
            name: .record, short: nil, kind: .file, defaultText: nil, commands: probing,
            scope: .commandLine, example: "/var/lib/wifi-toggler/trace", help: "write a trace for 'replay'",
            manual: [
                "Write down every event and what was decided upon it, for replay; see TRACES.",
                "The file is made if it is missing, and written behind what is in it.",
            ]),
        OptionRow(
            name: .check, short: nil, kind: .flag, defaultText: nil, commands: serving,
            scope: .commandLine, example: "yes", help: "validate, print what would hold, and end",
            manual: [
                "Validate the command line and the configuration file, print all that would hold, and end.",
                "What is printed is itself a configuration file, and means the same without a command line.",
                "With --quiet nothing is printed but what is wrong.",
                "Nothing is watched, and no privilege is needed.",
            ]),
        OptionRow(
            name: .watch, short: nil, kind: .flag, defaultText: nil, commands: [.status],
            scope: .commandLine, example: "yes", help: "stay, and show every change as it comes",
            manual: [
                "Stay: on a terminal show the status, drawn anew with every event and every second,"
                    + " with curves of the signal and of the round trip since it began; q ends it.",
                "Where there are too few rows each interface keeps its short answer, and the rest is cut.",
                "Elsewhere, and with TERM=dumb, print a line for each event that tells something new,"
                    + " with --verbose for every one, and with --json its object.",
                "Without a service a terminal waits for it; elsewhere it ends with the status 69.",
            ]),
        OptionRow(
            name: .since, short: nil, kind: .instant, defaultText: nil, commands: [.history],
            scope: .commandLine, example: "7d", help: "leave out what was over before",
            manual: [
                "Leave out what was over before this moment.",
                "T is a duration (7d: seven days ago), a day (2026-02-03: its beginning in UTC),"
                    + " or a time with its zone (2026-02-03T04:05:06Z, 2026-02-03T05:05:06+01:00).",
            ]),
        OptionRow(
            name: .page, short: nil, kind: .file, defaultText: nil, commands: [.history],
            scope: .commandLine, example: "history.html", help: "write it as a page for a browser",
            manual: [
                "Write the history as one page for a browser to FILE, - for standard output; see THE HISTORY."
            ]),
        OptionRow(
            name: .json, short: nil, kind: .flag, defaultText: "no",
            commands: filing + [.list, .doctor, .status, .history],
            scope: .wholeRun, example: "yes", help: "one JSON object a line on standard output",
            manual: ["Write one JSON object a line to standard output; see OUTPUT."]),
        OptionRow(
            name: .quiet, short: "q", kind: .flag, defaultText: "no", commands: speaking,
            scope: .wholeRun, example: "yes", help: "errors alone", manual: ["Say errors alone."]),
        OptionRow(
            name: .verbose, short: "v", kind: .flag, defaultText: "no", commands: speaking,
            scope: .wholeRun, example: "yes", help: "healthy cycles too, and the reasoning",
            manual: [
                "Say more: also the cycles that find the link healthy, and the reasoning behind each verdict.",
                "Of --quiet and --verbose the last one given counts.",
            ]),
        OptionRow(
            name: .log, short: nil, kind: .log, defaultText: "auto", commands: speaking, scope: .wholeRun,
            example: "syslog", help: "auto, stderr, journal or syslog",
            manual: [
                "Where to say what is no result: auto, stderr, journal or syslog; see LOG.",
                "With auto it is the journal where that reads standard error, else standard error.",
            ]),
        OptionRow(
            name: .help, short: "h", kind: .flag, defaultText: nil, commands: Command.allCases,
            scope: .commandLine, example: "", help: "this text; COMMAND --help: more about it",
            manual: ["Print the usage, with a command that of the command, and end."]),
        OptionRow(
            name: .version, short: "V", kind: .flag, defaultText: nil, commands: Command.allCases,
            scope: .commandLine, example: "", help: "the version", manual: ["Print the version and end."]),
    ]
}

/// Long durations for the ranges of the table.
private enum Span {
    static let minute: Duration = .seconds(60)
    static let hour: Duration = minute * 60
    static let day: Duration = hour * 24
    static let month: Duration = day * 30
}
