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
    /// The help in one line, without a full stop.
    var help: String
    /// The paragraphs in whole sentences, for the manual page and for `COMMAND --help`.
    var manual: [String]
}

extension Command {
    /// The command's row of the table.
    var row: CommandRow {
        switch self {
        case .run:
            CommandRow(
                operands: .interfaces, help: "service: every interval, probe; bounce what is sick",
                manual: [
                    "Stay, probe every interval, and bounce what is sick.",
                    "Without INTERFACE it watches all Wi-Fi station interfaces.",
                    "It ends only by a signal, as long as an interface may still appear.",
                ])
        case .toggle:
            CommandRow(
                operands: .oneInterface, help: "one bounce now, wait until the link is back",
                manual: [
                    "Bounce the interface once, whatever its health, and verify that it came back.",
                    "The exit status is that of the verdict after the bounce.",
                    "If a service watches the interface, the service does the work; see"
                        + " wifi-toggler-recovery(7), BESIDE THE SERVICE.",
                ])
        case .reconnect:
            CommandRow(
                operands: .oneInterface, help: "probe; bounce only if sick; verify (for cron)",
                manual: [
                    "Probe, and bounce only if the link is sick and a bounce can help.",
                    "On a healthy link it changes nothing; with --quiet it then writes nothing either.",
                    "If a service watches the interface, the service does the work; see"
                        + " wifi-toggler-recovery(7), BESIDE THE SERVICE.",
                ])
        case .probe:
            CommandRow(
                operands: .oneInterface, help: "verdict only, touches nothing",
                manual: [
                    "Probe once, and print the verdict and a table of its evidence: what was asked, the result,"
                        + " the time it took, and what was seen.",
                    "With --quiet only the exit status tells the verdict.",
                    "Nothing is changed.",
                ])
        case .list:
            CommandRow(
                operands: .none, help: "Wi-Fi interfaces and their state",
                manual: ["List the Wi-Fi interfaces and their state, one a line."])
        case .status:
            CommandRow(
                operands: .oneInterface, help: "what the running service knows, and why it acted",
                manual: [
                    "Ask the running service for the state of its links: healthy or sick and since when, what"
                        + " prevents a bounce, what was done last and why, what comes next, and then the last verdict"
                        + " with its reasoning.",
                    "Without INTERFACE it reports all links that the service watches.",
                    "The exit status is 0 if all are healthy, 1 if one is sick, else 2; without a service it is 69.",
                    "It uses the control socket; see wifi-toggler-output(5), CONTROL SOCKET.",
                ])
        case .history:
            CommandRow(
                operands: .oneInterface, help: "outages and bounces, with cause and duration",
                manual: [
                    "Show the recorded outages and bounces: when, for how long, from which cause, and whether a"
                        + " bounce was useful; see wifi-toggler-output(5), THE HISTORY.",
                    "Without INTERFACE it shows all interfaces that have a history.",
                    "No service is needed, only the right to read the state directory.",
                    "With --verbose it also shows the evidence, and what a bounce lost and restored.",
                ])
        case .doctor:
            CommandRow(
                operands: .oneInterface, help: "conflicts and weaknesses of this machine's set-up",
                manual: [
                    "Examine the set-up of this machine and of its Wi-Fi interfaces, or of the one that is"
                        + " named, and report what harms the link or its recovery; see wifi-toggler-output(5), THE"
                        + " DOCTOR.",
                    "Nothing is changed, and nothing is sent.",
                ])
        case .hold:
            CommandRow(
                operands: .durationAndInterface, help: "no automatic bounce for so long; 0 releases",
                manual: [
                    "Leave the interface alone for this time, without INTERFACE all of them: run and reconnect"
                        + " continue to check, and do not bounce.",
                    "A hold does not prevent a toggle, because a user asks for it.",
                    "A DURATION of 0 releases the hold, without INTERFACE all holds.",
                    "A hold ends with the next boot.",
                ])
        case .repair:
            CommandRow(
                operands: .interfaces, help: "raise what an interrupted bounce left down",
                manual: [
                    "Finish the bounces that were interrupted because the program and its guard were killed:"
                        + " raise the link and restore what it lost.",
                    "Without INTERFACE it does so for all interfaces.",
                    "If no bounce was interrupted, it does nothing, and the exit status is 0.",
                ])
        case .replay:
            CommandRow(
                operands: .file, help: "a recorded trace through the decision core",
                manual: [
                    "Let this version decide again on what was recorded with --record, and report where it"
                        + " decides otherwise; see wifi-toggler-output(5), TRACES.",
                    "Only the file is opened, and no privilege is needed.",
                    "With --verbose it also prints what happened in sentences.",
                ])
        }
    }
}
