import Model
import Testing

@Suite("Rules about drivers")
struct DriverTableTests {
    private func rule(_ driver: String, _ bus: String, line: Int, forbidding: Set<Model.Method> = [])
        -> DriverRule
    {
        var rule = DriverRule(DriverName(driver, on: bus), file: "f", line: line)
        rule.forbidden = forbidding
        return rule
    }

    @Test("a rule is about one driver on one bus, or about all drivers with a prefix")
    func names() {
        let table = DriverTable(installed: [
            rule("rtw88_*", "usb", line: 1), rule("rtw88_8821cu", "usb", line: 2),
            rule("rtw*", "usb", line: 3),
            rule("rtw88_8822*", "usb", line: 4), rule("*", "sdio", line: 5), rule("rtw88_88", "usb", line: 6),
        ])
        for (driver, bus, line) in [
            ("rtw88_8821cu", "usb", 2), ("rtw88_8822bu", "usb", 4), ("rtw88_8723du", "usb", 1),
            ("rtw88_", "usb", 1),
            ("rtw88_88", "usb", 6), ("rtw89_8851bu", "usb", 3), ("rtw88_8821cu", "pci", nil),
            ("RTW88_8821cu", "usb", nil),
            ("rt", "usb", nil), ("brcmfmac", "sdio", 5), ("", "sdio", 5),
        ] as [(String, String, Int?)] {
            #expect(table.rule(for: DriverName(driver, on: bus))?.line == line, "\(driver) on \(bus)")
        }
        #expect(DriverTable().rule(for: DriverName("a", on: "b")) == nil)
    }

    @Test("an administrator's rule replaces the whole installed rule of the same name, and no other")
    func replacing() {
        let name = DriverName("mt7925e", on: "pci")
        let table = DriverTable(
            installed: [
                rule("mt7925e", "pci", line: 1, forbidding: [.rebind]), rule("mt7925e", "usb", line: 2),
                rule("ath9k_*", "usb", line: 3),
            ],
            own: [rule("mt7925e", "pci", line: 7, forbidding: [.rfkill]), rule("*", "usb", line: 8)])
        #expect(table.objection(to: .rebind, with: name) == nil)
        #expect(table.objection(to: .rfkill, with: name)?.line == 7)
        #expect(table.rule(for: DriverName("mt7925e", on: "usb"))?.line == 2)
        // An administrator's rule also matches, but is less specific than the installed one.
        #expect(table.rule(for: DriverName("ath9k_htc", on: "usb"))?.line == 3)
        #expect(table.rule(for: DriverName("mt76x2u", on: "usb"))?.line == 8)
    }

    @Test("if a rule allows some methods, all others are forbidden")
    func permission() {
        var rule = rule("a", "b", line: 1)
        #expect(Method.allCases.allSatisfy(rule.permits))
        rule.allowed = [.owner, .bounce]
        #expect(Method.allCases.filter(rule.permits) == [.owner, .bounce])
        rule.allowed = []
        #expect(Method.allCases.filter(rule.permits) == [])
    }

    @Test(
        "with `auto` a driver's rule decides whether power saving is kept off; `off`, `leave` need no rule")
    func powerSave() {
        let (sleepy, plain, other) = (
            DriverName("sleepy", on: "usb"), DriverName("plain", on: "usb"), DriverName("sleepy", on: "pci")
        )
        var off = DriverRule(DriverName("sleep*", on: "usb"), file: "f", line: 4)
        off.powerSave = .off
        let table = DriverTable(installed: [off, DriverRule(plain, file: "f", line: 9)])
        #expect(table.reason(for: .auto, with: sleepy) == .rule(off, sleepy))
        for name in [plain, other, nil] { #expect(table.reason(for: .auto, with: name) == nil) }
        for name in [sleepy, plain, nil] {
            #expect(table.reason(for: .off, with: name) == .setting)
            #expect(table.reason(for: .leave, with: name) == nil)
        }
        // An administrator's section replaces the whole installed section, even if it lacks this key.
        let own = DriverTable(installed: [off], own: [DriverRule(off.name, file: "g", line: 1)])
        #expect(own.reason(for: .auto, with: sleepy) == nil)
    }
}
