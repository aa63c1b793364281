/// The command: the first operand of the command line.
public enum Command: String, CaseIterable, Sendable {
    case run, toggle, reconnect, probe, list, status, history, doctor, hold, repair, replay
}

/// The operands that a command takes besides options.
enum Operands: Equatable, Sendable {
    case none
    /// At most one interface name or glob.
    case oneInterface
    /// Any number of interface names and globs.
    case interfaces
    /// A duration, then at most one interface name or glob.
    case durationAndInterface
    /// The path of a file.
    case file

    /// The operands as the usage line shows them.
    var placeholder: String {
        switch self {
        case .none: ""
        case .oneInterface: "[INTERFACE]"
        case .interfaces: "[INTERFACE]..."
        case .durationAndInterface: "DURATION [INTERFACE]"
        case .file: "FILE"
        }
    }
}

/// One row of the table of commands, from which the parser, the help, the manual page and the completions are
/// made.
struct CommandRow: Sendable {
    var operands: Operands
    /// The interfaces that the command is about if the command line names none; empty: this does not apply.
    var withoutInterface = ""
    /// The help in one line, without a full stop.
    var help: String
    /// The paragraphs in whole sentences, for the manual page and for `COMMAND --help`.
    var manual: [String]
}

extension Command {
    /// A command that acts on one link chooses the interface itself only if there is exactly one station.
    private static let theOnlyStation = "the only Wi-Fi station interface (if there are several, name one)"

    /// The command's row of the table.
    var row: CommandRow {
        switch self {
        case .run:
            CommandRow(
                operands: .interfaces, withoutInterface: "all Wi-Fi station interfaces",
                help: "service: check links at every interval, and bounce the sick ones",
                manual: [
                    "Keep running, probe each link at every interval, and bounce each sick link.",
                    "Without INTERFACE the command watches all Wi-Fi station interfaces.",
                    "It runs until a signal ends it, even while the machine has no such interface.",
                ])
        case .toggle:
            CommandRow(
                operands: .oneInterface, withoutInterface: Self.theOnlyStation,
                help: "bounce a link now, and wait until it is back",
                manual: [
                    "Bounce the interface once, whatever its health, and verify that the link has come back.",
                    "The exit status reports the verdict after the bounce.",
                    "If a service watches the interface, the service does the work; see"
                        + " wifi-toggler-recovery(7), BESIDE THE SERVICE.",
                ])
        case .reconnect:
            CommandRow(
                operands: .oneInterface, withoutInterface: Self.theOnlyStation,
                help: "check a link, bounce it only if it is sick, and verify (for cron)",
                manual: [
                    "Probe, and bounce only if the link is sick and a bounce can help.",
                    "If the link is healthy, the command changes nothing, and with --quiet writes nothing.",
                    "If a service watches the interface, the service does the work; see"
                        + " wifi-toggler-recovery(7), BESIDE THE SERVICE.",
                ])
        case .probe:
            CommandRow(
                operands: .oneInterface, withoutInterface: Self.theOnlyStation,
                help: "check a link and report the verdict; change nothing",
                manual: [
                    "Probe once, and print the verdict and a table of its evidence: each probe, its"
                        + " result, its round trip, and details.",
                    "With --quiet only the exit status tells the verdict.",
                    "The command changes nothing.",
                    "Run the command as root: the neighbour probe needs CAP_NET_ADMIN, and without this"
                        + " capability the verdict is often unknown.",
                ])
        case .list:
            CommandRow(
                operands: .none, help: "Wi-Fi interfaces and their state",
                manual: [
                    "List the Wi-Fi interfaces and their state, one interface on each line.",
                    "With --verbose, also show each interface's driver, and the rule of a driver file that applies"
                        + " to it, if any: file, line, allowed and forbidden methods.",
                ])
        case .status:
            CommandRow(
                operands: .oneInterface, withoutInterface: "all that the service watches",
                help: "what the running service knows, and why it acted",
                manual: [
                    "Ask the running service for the state of its links, and show for each link: whether it"
                        + " is healthy or sick, and since when; what prevents a bounce; the last action and"
                        + " its cause; the next check, or the action in progress; and the last verdict"
                        + " with its reasoning.",
                    "Without INTERFACE the command shows all links that the service watches.",
                    "The exit status is 0 if all links are healthy, 1 if at least one link is sick, 69 if"
                        + " no service runs, and 2 otherwise.",
                    "The command uses the control socket; see wifi-toggler-output(5), CONTROL SOCKET.",
                ])
        case .history:
            CommandRow(
                operands: .oneInterface, withoutInterface: "all that have a history",
                help: "outages and bounces, with cause and duration",
                manual: [
                    "Show the recorded outages and bounces: when they happened, how long they took, what"
                        + " caused them, and whether a bounce was useful; see wifi-toggler-output(5), THE"
                        + " HISTORY.",
                    "Without INTERFACE the command shows all interfaces that have a history.",
                    "It needs no running service, only the right to read the state directory.",
                    "With --verbose it also shows the evidence, and what each bounce destroyed and restored.",
                ])
        case .doctor:
            CommandRow(
                operands: .oneInterface, withoutInterface: "all Wi-Fi station interfaces",
                help: "conflicts and weaknesses of this machine's set-up",
                manual: [
                    "Examine the set-up of this machine and of its Wi-Fi station interfaces (or of INTERFACE"
                        + " alone), and report what harms the link or its recovery; see"
                        + " wifi-toggler-output(5), THE DOCTOR.",
                    "The command changes nothing, and sends nothing to the network.",
                ])
        case .hold:
            CommandRow(
                operands: .durationAndInterface, withoutInterface: "all interfaces",
                help: "prevent automatic bounces for a time; hold 0 ends that",
                manual: [
                    "Prevent bounces of INTERFACE, or without INTERFACE bounces of all interfaces, for the"
                        + " time DURATION: run and reconnect continue to check links, but do not bounce"
                        + " them.",
                    "A hold does not prevent toggle, because a user asks for that bounce.",
                    "A DURATION of 0 ends the hold of INTERFACE, or without INTERFACE all holds.",
                    "The next boot ends all holds.",
                ])
        case .repair:
            CommandRow(
                operands: .interfaces, withoutInterface: "all whose bounce was interrupted",
                help: "raise links that an interrupted bounce left down",
                manual: [
                    "Finish the bounces that were interrupted because the program and its guard were"
                        + " killed: raise each link, and restore what it lost.",
                    "Without INTERFACE the command finishes all interrupted bounces.",
                    "If no bounce was interrupted, the command does nothing and exits with status 0.",
                ])
        case .replay:
            CommandRow(
                operands: .file, help: "repeat the decisions of a trace, and compare",
                manual: [
                    "Read a trace that a command has written with --record, repeat its decisions with this"
                        + " version of the program, and report each difference; see wifi-toggler-output(5),"
                        + " TRACES.",
                    "The command opens only FILE, and needs no privilege.",
                    "With --verbose it also prints the log that this version would have written.",
                ])
        }
    }
}
