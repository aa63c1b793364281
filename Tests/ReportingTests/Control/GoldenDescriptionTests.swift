import Foundation
import Testing

@testable import Reporting

/// The manual page shows the service's interface description; `UPDATE_GOLDEN=1 swift test --filter Golden`
/// writes it anew.
@Suite("Golden description of the control socket") struct GoldenDescriptionTests {
    private static let page = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "man/wifi-toggler.8")

    /// As in the source of the page (mdoc(7)).
    private static var part: String {
        let text = ControlInterface.description.split(separator: "\n", omittingEmptySubsequences: false)
            .map { $0.replacing("\\", with: "\\e").replacing("-", with: "\\-") }
            .joined(separator: "\n")
        return ".Bd -literal\n\(text.hasSuffix("\n") ? text : text + "\n").Ed\n"
    }

    @Test("the manual page shows the description")
    func manualPage() throws {
        var page = try String(contentsOf: Self.page, encoding: .utf8)
        let begin = try #require(page.range(of: ".\\\" description begin\n"))
        let end = try #require(page.range(of: ".\\\" description end\n"))
        if page[begin.upperBound..<end.lowerBound] == Self.part { return }
        guard ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1" else {
            Issue.record("man/wifi-toggler.8 does not show the description that the service gives")
            return
        }
        page.replaceSubrange(begin.upperBound..<end.lowerBound, with: Self.part)
        try page.write(to: Self.page, atomically: true, encoding: .utf8)
    }
}
