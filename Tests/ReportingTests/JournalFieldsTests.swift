import Foundation
import Model
import Testing

@testable import Reporting
@testable import Toggling

@Suite("Journal fields") struct JournalFieldsTests {
    private static let sick = Verdict(
        .sick, layer: .gateway, reason: .gatewaySilent([IPAddress("192.0.2.1")!]))

    private static func cycle(_ action: CycleReport.Action, _ verdict: Verdict = sick) -> Report {
        .cycle(
            CycleReport(
                verdict: verdict, action: action,
                change: HealthChange(before: .healthy, after: .sick, streak: 3), next: nil))
    }

    @Test(
        "each kind of message has its own valid MESSAGE_ID, which is in the manual page"
    )
    func numbers() throws {
        let url = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "man/wifi-toggler-output.5")
        let page = try String(contentsOf: url, encoding: .utf8)
        for kind in Record.Kind.allCases {
            #expect(kind.messageID.utf8.count == 32)
            #expect(kind.messageID.allSatisfy { "0123456789abcdef".contains($0) })
            #expect(page.ranges(of: ".It Li \(kind.messageID)\n").count == 1, "\(kind)")
        }
        #expect(Set(Record.Kind.allCases.map(\.messageID)).count == Record.Kind.allCases.count)
        #expect(page.ranges(of: ".It Li ").count >= Record.Kind.allCases.count)
    }

    @Test("a message has the journal fields of what it reports")
    func fields() {
        let summary = BounceSummary(down: .seconds(3), recovery: .seconds(1), restoration: Restoration())
        let now = Instant(nanoseconds: 0)
        let failure = Failure(kind: .other, description: "no")
        let table: [(Report, Record.Kind, String)] = [
            (.watching(Settings(), first: now), .started, "INTERFACE=wlan0"),
            (
                .step(.beginning(.rfkill, Self.sick)), .bounceBegun,
                "INTERFACE=wlan0 VERDICT=sick LAYER=gateway METHOD=rfkill"
            ),
            (.step(.beginning(.bounce, nil)), .bounceBegun, "INTERFACE=wlan0 METHOD=bounce"),
            (.step(.lowered(keptDownFor: .seconds(3))), .bounceStep, "INTERFACE=wlan0"),
            (.step(.absent), .absent, "INTERFACE=wlan0"),
            (
                Self.cycle(.none, Verdict(.healthy, reason: .nothingWrongInKernel)), .checked,
                "INTERFACE=wlan0 VERDICT=healthy CONDITION=sick ACTION=none"
            ),
            (
                Self.cycle(.bounced(summary)), .bounceFinished,
                "INTERFACE=wlan0 VERDICT=sick LAYER=gateway CONDITION=sick ACTION=bounced"
            ),
            (
                Self.cycle(.bounced(summary), Verdict(.healthy, reason: .nothingWrongInKernel)),
                .bounceFinished,
                "INTERFACE=wlan0 VERDICT=healthy METHOD=bounce CONDITION=sick ACTION=bounced"
            ),
            (
                Self.cycle(.failed(.lowering, failure)), .bounceFailed,
                "INTERFACE=wlan0 VERDICT=sick LAYER=gateway CONDITION=sick ACTION=failed"
            ),
            (
                Self.cycle(.held(.onHold(.untilReleased))), .held,
                "INTERFACE=wlan0 VERDICT=sick LAYER=gateway CONDITION=sick ACTION=held"
            ),
            (
                Self.cycle(.refused(.administrativelyDown)), .refused,
                "INTERFACE=wlan0 VERDICT=sick LAYER=gateway CONDITION=sick ACTION=refused"
            ),
        ]
        for (report, kind, fields) in table {
            let record = Record(report, about: "wlan0", at: now)
            #expect(record.kind == kind)
            let told = JournalFields.fields(of: record).map { "\($0.name)=\($0.value)" }
            let own = fields.split(separator: " ").map { "WIFI_TOGGLER_" + $0 }
            #expect(told == ["MESSAGE_ID=\(kind.messageID)"] + own)
            #expect(JournalFields.fields(of: record, isFirst: false).count == own.count)
        }
    }
}
