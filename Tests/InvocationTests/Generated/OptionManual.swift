@testable import Invocation

/// The text of each option in the manual, in whole sentences. The option table has the rest: names, values,
/// defaults and commands.
let optionManual: [OptionName: [String]] = [
    .interval: [
        "The time from the start of one check of a link to the start of the next check; the first"
            + " check starts at once.",
        "The schedule does not drift: the duration of a check does not delay later checks.",
    ],
    .probe: [
        "How to find out whether the link is healthy; see wifi-toggler-probes(7).",
        "You can give several probes; the first one that you give replaces the default.",
    ],
    .quorum: [
        "How many of the probes of each layer must succeed.",
        "If a layer has fewer than N probes, all of them must succeed.",
        "A probe with a leading + must always succeed.",
    ],
    .commandUser: [
        "The user who runs the programs of command: probes; /etc/passwd must list this user.",
        "If wifi-toggler cannot change to another user, the name nobody means the user that runs"
            + " wifi-toggler.",
        "In this case wifi-toggler refuses all names except nobody and the name of this user.",
    ],
    .force: [
        "Bounce the link even when it is healthy.",
        "With this option, run bounces the link at every interval, as a plain timer would.",
        "toggle bounces the link in any case, even without this option.",
    ],
    .bounceOn: [
        "The layers whose faults lead to a bounce, separated by commas; see"
            + " wifi-toggler-recovery(7).",
        "Any of association, address, gateway, dns, internet and portal.",
    ],
    .fall: [
        "How many sick verdicts in a row change the health of the link to sick."
    ],
    .rise: [
        "How many healthy verdicts in a row change the health of the link back to healthy."
    ],
    .recheck: [
        "The time between checks while the link is suspect.",
        "A link is suspect while its last verdicts contradict its health, such as after a first"
            + " sick verdict, or show a fault in another layer than before.",
    ],
    .timeout: [
        "How long one probe waits for its answer."
    ],
    .degradedLoss: [
        "If at least this share of the probes, in per cent, is lost, the program calls the link degraded.",
        "It reports a degraded link, but does not bounce it for this reason; see wifi-toggler-probes(7).",
        "With 0, losses never make a link degraded, and do not change how many sick verdicts make a link"
            + " sick.",
    ],
    .degradedLatency: [
        "If the median round trip of the probes is this long or longer, the program calls the"
            + " link degraded.",
        "It reports a degraded link, but does not bounce it for this reason; see wifi-toggler-probes(7).",
        "With 0 the program never calls a link degraded because of its round trips.",
    ],
    .delay: [
        "How long a bounce keeps the link down.",
        "If the delay is longer than 5s, NetworkManager may give up on the link; the program warns about"
            + " this.",
    ],
    .settle: [
        "The longest time that the program waits after a bounce for carrier, an address, and a probe"
            + " that finds the link healthy.",
        "With the value 0, the program does not verify the bounce.",
    ],
    .restore: [
        "Restore the routes and addresses that were lost in a bounce and that no other program"
            + " restores.",
        "These are routes of protocol boot and static, and addresses without a lifetime.",
        "With the value no, the program restores nothing, and only reports what was lost.",
    ],
    .noFastReconnect: [
        "With the value yes, the program does not abort the scan in which, after a bounce, the owner looks"
            + " for the station's network.",
        "With the value no, it may abort this scan; see wifi-toggler-recovery(7), FAST RECONNECT.",
    ],
    .method: [
        "The methods by which a sick link is recovered, separated by commas; see"
            + " wifi-toggler-recovery(7), METHODS.",
        "With auto, the program chooses the methods that fit the fault; it chooses among owner,"
            + " restart-owner, bounce and reset.",
        "Instead, you can name the methods yourself: any of reassociate, owner, restart-owner, bounce,"
            + " rfkill, rebind, reset, hook:PATH and reboot.",
        "The program tries the methods in this order, even if you name them in another order.",
        "It tries only the methods that you name, one after the other, until the link is healthy.",
        "After auto you can also name rfkill, rebind, reset, hook:PATH and reboot: with auto,reset the"
            + " program tries reset if the methods that auto has chosen did not help.",
        "Only the command run uses reboot, and only after all other methods have failed in the same"
            + " outage; see --reboot-after.",
        "These other methods are the methods that you name, and with auto also the methods that auto"
            + " has chosen.",
    ],
    .powerSave: [
        "With off, the program keeps the power saving of the radio off: if power saving is on at a check of"
            + " the link or at an association, the program switches it off; see wifi-toggler-recovery(7),"
            + " POWER SAVING.",
        "With auto, the program keeps power saving off only if a driver file says so for the driver of the"
            + " interface.",
        "Such a driver has a known fault that power saving causes.",
        "With leave, the program does not change power saving.",
    ],
    .announce: [
        "With each healthy check, announce the addresses of the link to its neighbours; see"
            + " wifi-toggler-recovery(7), ANNOUNCEMENTS.",
        "IPv4 addresses are announced by gratuitous ARP, and IPv6 addresses by unsolicited"
            + " neighbour advertisements, which need CAP_NET_RAW.",
    ],
    .backoff: [
        "The time between the first two bounces of one outage.",
        "This time doubles with each further bounce, with a jitter of 10 %.",
        "It starts again at this value after the link has been healthy for 10 minutes.",
        "If this value is longer than a --backoff-max from a less specific source (the file instead of"
            + " the command line, or a more general section), the program raises --backoff-max to this"
            + " value.",
    ],
    .backoffMaximum: [
        "The longest time between two bounces of one outage, without the jitter.",
        "After 3 useless bounces in a row, the program waits this long before each further bounce, until a"
            + " bounce helps or the network changes.",
        "A bounce is useless here if the link is still sick in the same layer after it.",
        "With less than 1h, one long outage uses up --budget-per-day: with 15m and the default of 24, after"
            + " about five hours.",
        "Then the program neither bounces nor reboots until the first of these bounces is a day old.",
        "So also raise --budget-per-day, for example to 120 with 15m.",
        "If this value is shorter than a --backoff from a less specific source (the file instead of the"
            + " command line, or a more general section), the program lowers --backoff to this value.",
    ],
    .grace: [
        "For this time after the machine has started, and after the interface has appeared, the program"
            + " does not bounce a sick link, because the owner may still be connecting it.",
        "With --force the program bounces the link even in this time.",
    ],
    .rebootAfter: [
        "How long an outage must have lasted before the method reboot is used; all other methods"
            + " must have failed in that outage.",
        "Without the method reboot this option has no effect; see wifi-toggler-recovery(7), REBOOTING.",
    ],
    .quietHours: [
        "Hours of local time in which the program does not bounce, not even with --force.",
        "In these hours the program tries no method: it does not ask or restart an owner either.",
        "If a link is still sick at the end of these hours, the program bounces it then.",
        "A WINDOW consists of two times of the day, optionally preceded by days of the week and a"
            + " space: 22:00-06:30, mon-fri 08:00-18:00, sat,sun 00:00-24:00.",
        "If the end of a window is earlier in the day than its beginning, the window ends on the next"
            + " day; the days of the week are the days on which the window begins.",
        "The two times must differ.",
        "To give several windows, separate them by commas or repeat the option; the program joins windows"
            + " that overlap or adjoin.",
        "In the configuration file, the windows of a more specific section replace the windows of less"
            + " specific sections; the value none removes all windows that were given before it.",
        "If a change of the clocks skips or repeats the time at which a window ends, mktime(3)"
            + " determines the end.",
    ],
    .evenIfInUse: [
        "Bounce even while a user is logged in over this link, and reboot even while any user is logged"
            + " in; see wifi-toggler-recovery(7), LOGINS and REBOOTING."
    ],
    .budget: [
        "The maximum number of bounces of one interface within any hour.",
        "One pass through the methods of --method counts as one bounce, whatever methods it uses.",
    ],
    .dailyBudget: [
        "The maximum number of bounces of one interface within any 24 hours, counted as for --budget.",
        "At most 3 of these bounces may restart an owner or reset a failing device.",
        "A reset counts among these 3 only if auto has chosen it: because the radio refuses to work or"
            + " has crashed, because the device has lost its interface, or because the link cannot be"
            + " set up again after a bounce.",
    ],
    .wait: [
        "How long to wait for the lock of the interface while another run has it."
    ],
    .dryRun: [
        "Decide and report what would be done, but change nothing.",
        "In [default] this key makes the whole service a dry run until the service is restarted.",
        "A service that is a dry run takes no locks.",
        "Because another run may write the history and the metrics at the same time, this service writes"
            + " neither.",
        "It also has no control socket, so the command status does not find it.",
        "To try the program for a while, set dry-run in a section such as [wl*]: the service then has its"
            + " locks, status, metrics and history.",
        "The history then shows what the service would have done.",
    ],
    .anyInterface: [
        "Also accept interfaces that are not Wi-Fi stations, if you name them.",
        "Without this option the program refuses such an interface.",
    ],
    .config: [
        "The configuration file; see wifi-toggler.conf(5).",
        "A file that you name must exist; the default file need not.",
    ],
    .stateDirectory: [
        "The directory for the history, and for other state that the program saves for its next run."
    ],
    .runDirectory: [
        "The directory for the locks of the interfaces, the records of bounces in progress, the"
            + " holds, and the control socket of the service."
    ],
    .metrics: [
        "Write metrics for Prometheus to this file; see wifi-toggler-output(5), METRICS.",
        "Each update replaces the whole file.",
        "The directory of the file must exist; for node_exporter the name of the file must end in .prom.",
        "With the value none, the program writes no file.",
    ],
    .hooksDirectory: [
        "The directory of the hooks, the programs that the service runs when something changes;"
            + " see wifi-toggler-output(5), HOOKS.",
        "The path must be absolute; the directory need not exist.",
        "With the value none, the service runs no program.",
    ],
    .record: [
        "Record every event and the resulting decisions in a trace, for the command replay; see"
            + " wifi-toggler-output(5), TRACES.",
        "The program creates the file, or appends the new trace to a file that exists.",
    ],
    .check: [
        "Validate the command line and the configuration file, print the resulting settings, and"
            + " exit.",
        "The output is itself a configuration file, which gives the same settings without further"
            + " options.",
        "With --quiet only mistakes are printed.",
        "The command watches no interface, and needs no privilege.",
    ],
    .watch: [
        "Keep running and show every change; on a terminal, q ends the command.",
        "See wifi-toggler-output(5), TEXT.",
    ],
    .since: [
        "Leave out all outages and bounces that ended before the time T.",
        "T is a duration (7d: seven days ago), a day (2026-02-03: its beginning in UTC), or a"
            + " time with its zone (2026-02-03T04:05:06Z, 2026-02-03T05:05:06+01:00).",
    ],
    .page: [
        "Write the history to FILE as a page for a browser; if FILE is -, write to standard output.",
        "See wifi-toggler-output(5), THE HISTORY.",
    ],
    .json: [
        "Write one JSON object per line to standard output; see wifi-toggler-output(5), JSON."
    ],
    .quiet: [
        "Write errors only."
    ],
    .verbose: [
        "Write more: also the cycles that find the link healthy, and the reasoning behind each"
            + " verdict.",
        "If you give both --quiet and --verbose, the last of them counts.",
    ],
    .log: [
        "Where to send messages that are not results: auto, stderr, journal or syslog; see"
            + " wifi-toggler-output(5), LOG.",
        "With auto, the command run sends messages to the journal if the journal reads its standard error,"
            + " to syslog if its standard error is /dev/null, and otherwise to standard error.",
        "With auto, the other commands use standard error.",
    ],
    .help: [
        "Print the usage of the command, or of the program if no command is given, and exit."
    ],
    .version: [
        "Print the version and exit."
    ],
]
