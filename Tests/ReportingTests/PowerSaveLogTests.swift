import Model
import Testing

@testable import Reporting

@Suite("The log about power saving") struct PowerSaveLogTests {
    private static let unsupported = Failure(kind: .other, code: 95, description: "Operation not supported")

    /// The lines for these results, each at its minute after boot.
    private func lines(
        _ results: [(minute: Int64, result: Result<Bool, Failure>)],
        because reason: PowerSaveOffReason = .setting,
        isDryRun: Bool = false
    ) -> [Line] {
        var log = PowerSaveLog()
        return results.compactMap { minute, result in
            log.line(
                for: result, because: reason, isDryRun: isDryRun, at: .boot + .seconds(60 * minute))
        }
    }

    @Test("power saving that is off is not logged")
    func off() { #expect(lines((0..<100).map { ($0, .success(false)) }).isEmpty) }

    @Test("switching power saving off is logged, also each time after another program has switched it on")
    func again() {
        #expect(
            lines([(0, .success(true)), (1, .success(false)), (500, .success(true)), (501, .success(false))])
                == [
                    Line(.notice, "power saving was on: switched off"),
                    Line(.notice, "power saving was on again: switched off"),
                ])
    }

    @Test("if a driver file is the reason, the first line names the file, the line and the driver")
    func rule() {
        let name = DriverName("brcmfmac", on: "sdio")
        let reason = PowerSaveOffReason.rule(DriverRule(name, file: "/d/drivers.conf", line: 15), name)
        #expect(
            lines([(0, .success(true)), (500, .success(true))], because: reason).map(\.text) == [
                "power saving was on: switched off, because /d/drivers.conf:15 says so for the driver brcmfmac on"
                    + " sdio",
                "power saving was on again: switched off",
            ])
    }

    @Test("if an owner switches power saving on again and again, one warning is logged")
    func fight() {
        let lines = lines((0..<1000).map { ($0, .success(true)) })
        #expect(lines.map(\.level) == [.notice, .notice, .warning])
        #expect(
            lines.last?.text == "power saving was on again, 5 times within an hour: another program"
                + " switches it on; configure that program to leave power saving off (NetworkManager:"
                + " wifi.powersave=2)")
    }

    @Test("a failure is logged once, with a remedy")
    func failure() {
        #expect(
            lines((0..<100).map { ($0, .failure(Self.unsupported)) }) == [
                Line(
                    .warning,
                    "could not switch power saving off: Operation not supported; if the driver can never do"
                        + " this, set power-save = leave")
            ])
        let forbidden = Failure(kind: .notPermitted, code: 1, description: "Operation not permitted")
        #expect(
            lines([(0, .failure(forbidden))]).map(\.text) == [
                "could not switch power saving off: Operation not permitted (needs CAP_NET_ADMIN: run as root)"
            ])
    }

    @Test("a dry run logs once that power saving is on")
    func dryRun() {
        #expect(
            lines((0..<100).map { ($0, .success(true)) }, isDryRun: true) == [
                Line(.notice, "power saving is on: a dry run does not switch it off")
            ])
    }
}
