import Foundation
import Testing

@testable import Invocation

/// The files in the repository are what the tables generate. `UPDATE_GOLDEN=1 contrib/test --only unit --filter Golden`
/// writes them anew.
@Suite("Golden files")
struct GoldenTests {
    private static let isUpdate = ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1"
    private static let root = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    @Test(
        "each shell completion is what the option table generates",
        arguments: ["wifi-toggler.bash", "_wifi-toggler", "wifi-toggler.fish"])
    func completion(name: String) throws {
        let text =
            switch name {
            case "wifi-toggler.bash": BashCompletion.text
            case "_wifi-toggler": ZshCompletion.text
            default: FishCompletion.text
            }
        try compare(file: "contrib/completions/" + name, with: text)
    }

    @Test(
        "each manual page has the commands, options, keys and exit statuses of the tables",
        arguments: ManualText.pages.map(\.file))
    func manualPage(file: String) throws {
        var page = try String(contentsOf: Self.root.appending(path: file), encoding: .utf8)
        for part in ManualText.pages.first(where: { $0.file == file })?.parts ?? [] {
            let begin = try #require(
                page.range(of: ".\\\" \(part.mark) begin\n"), "\(part.mark) has no begin")
            let end = try #require(page.range(of: ".\\\" \(part.mark) end\n"), "\(part.mark) has no end")
            try #require(begin.upperBound <= end.lowerBound)
            page.replaceSubrange(begin.upperBound..<end.lowerBound, with: part.text)
        }
        try compare(file: file, with: page)
    }

    @Test(
        "each manual page names the version of the program", arguments: ManualText.pages.map(\.file))
    func manualVersion(file: String) throws {
        let page = try String(contentsOf: Self.root.appending(path: file), encoding: .utf8)
        #expect(page.contains(".Os wifi-toggler \(Help.version)\n"))
    }

    @Test("each help text equals its golden file", arguments: [nil] + Command.allCases.map(Optional.some))
    func help(command: Command?) throws {
        let name = command?.rawValue ?? "general"
        try compare(file: "Tests/Golden/help-\(name).txt", with: Help.text(for: command))
    }

    private func compare(file: String, with text: String) throws {
        let url = Self.root.appending(path: file)
        if Self.isUpdate { try text.write(to: url, atomically: true, encoding: .utf8) }
        let stored = try String(contentsOf: url, encoding: .utf8)
        guard stored != text else { return }
        let pairs = zip(stored.split(separator: "\n"), text.split(separator: "\n"))
        let difference = pairs.first { $0 != $1 }
        Issue.record(
            """
            \(file) is not what the tables make
            (UPDATE_GOLDEN=1 contrib/test --only unit --filter Golden writes it anew)
            in the file:     \(difference?.0 ?? "a different number of lines")
            from the tables: \(difference?.1 ?? "a different number of lines")
            """)
    }
}
