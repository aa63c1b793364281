import Foundation
import Testing

@testable import Reporting

/// An installation has the service's interface description as a file.
/// `UPDATE_GOLDEN=1 contrib/test --only unit --filter Golden` writes it anew.
@Suite("The golden Varlink description") struct GoldenDescriptionTests {
    private static let file = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "contrib/\(ControlInterface.name).varlink")

    @Test("the golden file has the description that the service returns")
    func file() throws {
        if ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1" {
            try ControlInterface.description.write(to: Self.file, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: Self.file, encoding: .utf8) == ControlInterface.description)
    }
}
