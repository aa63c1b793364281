import Testing

@testable import Invocation

@Suite("Help texts")
struct HelpTests {
    private static let commands: [Command?] = [nil] + Command.allCases

    @Test("no line is wider than 80 columns or ends in a blank", arguments: commands)
    func width(command: Command?) {
        for line in Help.text(for: command).split(separator: "\n", omittingEmptySubsequences: false) {
            #expect(line.count <= 80 && line.last != " ", "\(line)")
        }
        #expect(Help.text(for: command).hasSuffix("\n"))
    }

    @Test("the general help names every command and the usual options, and fits on a terminal of 24 lines")
    func general() {
        let text = Help.text(for: nil)
        for command in Command.allCases { #expect(text.contains("\n  \(command.rawValue) ")) }
        for name in ["--probe", "--delay", "--dry-run", "--json", "--verbose"] {
            #expect(text.contains(name))
        }
        #expect(text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().count <= 23)
    }

    @Test(
        "each option is in the help of a command, and each command's help ends with exit status 78",
        arguments: Command.allCases)
    func complete(command: Command) {
        let text = Help.text(for: command)
        #expect(text.hasSuffix("\n  78  configuration wrong (file:line)\n"))
        for row in OptionTable.rows {
            #expect(Command.allCases.contains { Help.text(for: $0).contains(row.flag) })
        }
    }

    @Test("a command's help names that command's options only", arguments: Command.allCases)
    func ofCommand(command: Command) {
        let text = Help.text(for: command)
        for row in OptionTable.rows {
            let isNamed = text.contains(" \(row.flag) ") || text.contains(" \(row.flag)\n")
            #expect(isNamed == row.commands.contains(command), "\(row.flag)")
        }
    }

    @Test("the help says which interfaces a command is about if none is named", arguments: Command.allCases)
    func withoutInterface(command: Command) {
        let row = command.row
        let takesInterface = row.operands != .none && row.operands != .file
        #expect(row.withoutInterface.isEmpty == !takesInterface)
        let text = Help.text(for: command).split { $0.isWhitespace }.joined(separator: " ")
        #expect(
            text.contains("INTERFACE a name or a glob ('wl*'); without it: \(row.withoutInterface)")
                == takesInterface)
    }

    @Test("the help of --method names each method, and those that may follow auto")
    func methods() {
        let text = Help.text(for: .run).split { $0.isWhitespace }.joined(separator: " ")
        #expect(
            text.contains(
                "METHOD auto, or any of reassociate, owner, restart-owner, bounce, rfkill, rebind, reset,"
                    + " hook:PATH, reboot; auto may be followed by rfkill, rebind, reset, hook:PATH"))
    }
}
