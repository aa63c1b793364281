import Testing

@testable import Invocation

@Suite("Help texts")
struct HelpTests {
    private static let commands: [Command?] = [nil] + Command.allCases

    @Test("no line is wider than 80 columns, and none ends in a blank", arguments: commands)
    func width(command: Command?) {
        for line in Help.text(for: command).split(separator: "\n", omittingEmptySubsequences: false) {
            #expect(line.count <= 80 && line.last != " ", "\(line)")
        }
        #expect(Help.text(for: command).hasSuffix("\n"))
    }

    @Test("the general help names every command, every option and ends with the exit statuses")
    func general() {
        let text = Help.text(for: nil)
        for command in Command.allCases { #expect(text.contains("\n  \(command.rawValue) ")) }
        for row in OptionTable.rows { #expect(text.contains(row.flag)) }
        #expect(text.contains("\n  78  configuration wrong (file:line)\n"))
    }

    @Test("the help of a command names its options alone", arguments: Command.allCases)
    func ofCommand(command: Command) {
        let text = Help.text(for: command)
        for row in OptionTable.rows {
            let isNamed = text.contains(" \(row.flag) ") || text.contains(" \(row.flag)\n")
            #expect(isNamed == row.commands.contains(command), "\(row.flag)")
        }
    }
}
