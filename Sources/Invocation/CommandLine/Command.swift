/// The first operand: what to do.
public enum Command: String, CaseIterable, Sendable {
    case run, toggle, reconnect, probe, list, status, history, doctor, hold, repair, replay
}

/// Which operands a command takes besides options.
enum Operands: Equatable, Sendable {
    case none
    /// An interface name or glob, or nothing.
    case oneInterface
    /// Any number of interface names and globs.
    case interfaces
    /// A duration, then an interface name or glob, or nothing.
    case durationAndInterface
    /// The path of a file.
    case file

    /// The words of the usage line.
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

/// One row of the table of commands: the source of the parser, the help, the manual page and the completions.
struct CommandRow: Sendable {
    var operands: Operands
    /// One line, without a full stop.
    var help: String
    /// Whole sentences for the manual page and for `COMMAND --help`.
    var manual: [String]
}

extension Command {
    /// The table of commands.
    var row: CommandRow {
        switch self {
        case .run:
            CommandRow(
                operands: .interfaces, help: "service: every interval, probe; bounce what is sick",
                manual: [
                    "Stay, probe every interval, and bounce what is sick.",
                    "Without INTERFACE it takes all Wi-Fi station interfaces.",
                    "It ends only by a signal, as long as an interface may still appear.",
                ])
        case .toggle:
            CommandRow(
                operands: .oneInterface, help: "one bounce now, wait until the link is back",
                manual: [
                    "Bounce the interface once, whatever its health, and verify that it came back.",
                    "The exit status tells the verdict after the bounce.",
                    "On an interface that the service watches it has the service do it; see BESIDE THE SERVICE.",
                ])
        case .reconnect:
            CommandRow(
                operands: .oneInterface, help: "probe; bounce only if sick; verify (for cron)",
                manual: [
                    "Probe, and bounce only if the link is sick and a bounce can help.",
                    "On a healthy link it changes nothing; with --quiet it then says nothing either.",
                    "On an interface that the service watches it has the service do it; see BESIDE THE SERVICE.",
                ])
        case .probe:
            CommandRow(
                operands: .oneInterface, help: "verdict only, touches nothing",
                manual: [
                    "Probe once and tell the verdict, and below it as a table its evidence:"
                        + " what was asked, how it came out, after how long, and what was seen.",
                    "With --quiet the exit status alone tells the verdict.",
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
                    "Ask the running service how its links are: healthy or sick and since when,"
                        + " what holds a bounce back, what was done last and why, what comes next,"
                        + " and then the last verdict with its reasoning.",
                    "Without INTERFACE it tells of all that the service watches.",
                    "The exit status is 0 where all are healthy, 1 where one is sick, else 2;"
                        + " without a service it is 69.",
                    "It asks on the control socket; see CONTROL SOCKET.",
                ])
        case .history:
            CommandRow(
                operands: .oneInterface, help: "outages and bounces, with cause and duration",
                manual: [
                    "Tell the outages and bounces that are kept: when, for how long, by what cause,"
                        + " and whether a bounce was of use; see THE HISTORY.",
                    "Without INTERFACE it tells of all that something is kept of.",
                    "No service is needed, only the right to read the state directory.",
                    "With --verbose it also tells the evidence, and what a bounce lost and put back.",
                ])
        case .doctor:
            CommandRow(
                operands: .oneInterface, help: "conflicts and weaknesses of this machine's set-up",
                manual: [
                    "Look at the set-up of this machine and of its Wi-Fi interfaces, or of the one that is named,"
                        + " and tell what the link or its cure suffers from; see THE DOCTOR.",
                    "Nothing is changed, and nothing is sent.",
                ])
        case .hold:
            CommandRow(
                operands: .durationAndInterface, help: "no automatic bounce for so long; 0 releases",
                manual: [
                    "For so long leave the interface alone, without INTERFACE all of them:"
                        + " run and reconnect go on looking, and do not bounce.",
                    "A toggle is asked for by somebody, and is not held back.",
                    "A DURATION of 0 releases what is held, without INTERFACE everything.",
                    "It does not outlive the boot.",
                ])
        case .repair:
            CommandRow(
                operands: .interfaces, help: "raise what an interrupted bounce left down",
                manual: [
                    "Finish the bounces that were left half done because the program and its guard were killed:"
                        + " raise the link and put back what it lost.",
                    "Without INTERFACE it does so for all of them.",
                    "Where nothing was left half done, nothing is done, and the exit status is 0.",
                ])
        case .replay:
            CommandRow(
                operands: .file, help: "a recorded trace through the decision core",
                manual: [
                    "Let this version decide anew what was recorded with --record,"
                        + " and tell where it decides otherwise; see TRACES.",
                    "Nothing but the file is opened, and no privilege is needed.",
                    "With --verbose it also tells the story in sentences.",
                ])
        }
    }
}
