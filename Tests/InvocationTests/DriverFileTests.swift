import Foundation
import Model
import Testing

@testable import Invocation

@Suite("The driver file")
struct DriverFileTests {
    private typealias Problem = DriverFileError.Problem

    private func refusal(of text: String) -> DriverFileError? {
        do throws(DriverFileError) {
            _ = try DriverFile.parse(text, path: "f")
            return nil
        } catch {
            return error
        }
    }

    @Test("a section is read with the driver, its bus, all its keys and its first line")
    func whole() throws {
        let text = """
            # a comment
            [mt7925e\tpci] ; another
            fault = it hangs, äöü
              forbid = rebind , rfkill,rebind
            power-save = off
            remedy: update the kernel
            source = nbramia/LifeOS#484

            [rtw88_* usb]
            allow = owner
            power-save = leave ; as before
            """
        let rules = try DriverFile.parse("\u{feff}" + text.replacing("\n", with: "\r\n"), path: "f")
        var first = DriverRule(DriverName("mt7925e", on: "pci"), file: "f", line: 2)
        first.fault = "it hangs, äöü"
        first.forbidden = [.rebind, .rfkill]
        first.powerSave = .off
        first.remedy = "update the kernel"
        first.source = "nbramia/LifeOS#484"
        var second = DriverRule(DriverName("rtw88_*", on: "usb"), file: "f", line: 9)
        second.allowed = [.owner]
        second.powerSave = .leave
        #expect(rules == [first, second])
    }

    @Test(
        "an empty file and a section without keys are valid",
        arguments: ["", "\n# x\n", "[a b]", "[* usb]\n[a* usb]"])
    func empty(text: String) { #expect(refusal(of: text) == nil) }

    @Test("every method can be allowed and forbidden", arguments: Method.allCases)
    func methods(_ method: Model.Method) throws {
        let rules = try DriverFile.parse(
            "[a b]\nforbid = \(method.rawValue)\n[c d]\nallow = \(method.rawValue)\n", path: "f")
        #expect(rules[0].permits(method) == false && rules[1].permits(method))
        for other in Method.allCases where other != method {
            #expect(rules[0].permits(other) && !rules[1].permits(other))
        }
    }

    /// A file for each kind of mistake, and its line.
    private static let mistakes: [(text: String, line: Int, problem: DriverFileError.Problem)] = [
        ("\n[a b]\n" + String(repeating: "x", count: 198), 3, .text(.lineTooLong(limit: 197))),
        ("[a b]\nfault = \u{7}", 2, .text(.controlCharacter(7))),
        ("[a b]\nfault = \u{1b}[2J", 2, .text(.controlCharacter(0x1b))),
        ("[a b]\nfault", 2, .text(.notUnderstood("fault"))),
        ("[a b", 1, .text(.notUnderstood("[a b"))),
        (
            "[\(String(repeating: "a", count: 50)) b]", 1,
            .text(.sectionTooLong(String(repeating: "a", count: 50) + " b"))
        ),
        ("[a b] forbid = rebind", 1, .text(.textAfterSection("forbid = rebind"))),
        ("forbid = rebind\n[a b]", 1, .keyOutsideSection("forbid")),
        ("[]", 1, .badSection("")), ("[a]", 1, .badSection("a")), ("[a b c]", 1, .badSection("a b c")),
        ("[a/b c]", 1, .badSection("a/b c")), ("[a*b c]", 1, .badSection("a*b c")),
        ("[a b*]", 1, .badSection("a b*")),
        ("[a** b]", 1, .badSection("a** b")), ("[é b]", 1, .badSection("é b")),
        ("[a b]\n\n[c b]\n[a  b]", 4, .repeatedSection("a  b", line: 1)),
        ("[a b]\nforbit = rebind", 2, .unknownKey("forbit", suggestion: "forbid")),
        ("[a b]\norder = rebind", 2, .unknownKey("order", suggestion: nil)),
        ("[a b]\nFORBID = rebind", 2, .unknownKey("FORBID", suggestion: "forbid")),
        ("[a b]\nforbid = rfkill\nfault = x\nforbid = rebind", 4, .repeatedKey(.forbid, line: 2)),
        ("[a b]\nremedy =", 2, .empty(.remedy)), ("[a b]\nforbid = ; none", 2, .empty(.forbid)),
        ("[a b]\nsource = x\u{202e}y", 2, .unprintable(.source, "x\u{202e}y")),
        ("[a b]\nforbid = rebond", 2, .unknownMethod(.forbid, "rebond", suggestion: "rebind")),
        ("[a b]\nforbid = auto", 2, .unknownMethod(.forbid, "auto", suggestion: nil)),
        ("[a b]\nallow = hook:/x", 2, .unknownMethod(.allow, "hook:/x", suggestion: nil)),
        ("[a b]\nallow = owner,", 2, .unknownMethod(.allow, "", suggestion: nil)),
        ("[a b]\npower-save = on", 2, .badPowerSave("on")),
        ("[a b]\npower-save = auto", 2, .badPowerSave("auto")),
        ("[a b]\npower-save = off, leave", 2, .badPowerSave("off, leave")),
        ("[a b]\npower-save =", 2, .empty(.powerSave)),
        ("[a b]\npowersave = off", 2, .unknownKey("powersave", suggestion: "power-save")),
        ("[a b]\nallow = owner,bounce\nforbid = rfkill,bounce", 3, .contradiction(.bounce)),
        ("[a b]\nforbid = bounce\nallow = bounce", 3, .contradiction(.bounce)),
    ]

    @Test(
        "every mistake is reported with the file, the line, the value and what would be right",
        arguments: mistakes)
    func mistake(text: String, line: Int, problem: DriverFileError.Problem) throws {
        let error = try #require(refusal(of: text))
        #expect(error == DriverFileError(file: "f", line: line, problem: problem), "\(error.description)")
        #expect(error.description.hasPrefix("f:\(line): "))
        #expect(error.description.hasSuffix(")") || error.description.hasSuffix("'?"), "\(error.description)")
        for scalar in error.description.unicodeScalars { #expect(QuotedText.isPrintable(scalar)) }
    }

    @Test("the same key in two sections is not a duplicate")
    func keys() { #expect(refusal(of: "[a b]\nforbid = rebind\n[c d]\nforbid = rebind\n") == nil) }

    @Test(
        "each section of the installed file has a fault, its source, and a remedy or `power-save`"
    )
    func installed() throws {
        let url = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "contrib/drivers.conf")
        let rules = try DriverFile.parse(String(contentsOf: url, encoding: .utf8), path: "drivers.conf")
        for rule in rules {
            let sources = (rule.source ?? "").split(separator: ", ")
            #expect(!sources.isEmpty, "\(rule.name)")
            for source in sources {
                #expect(
                    source.wholeMatch(of: /[\w.-]+\/[\w.-]+#\d+|Linux [\w\/.-]+\.c/) != nil,
                    "\(rule.name): \(source)")
            }
            #expect((rule.remedy ?? rule.powerSave?.rawValue) != nil && rule.fault != nil, "\(rule.name)")
            #expect(rule.remedy?.contains("power-save") != true, "\(rule.name): the key says it")
        }
        let table = DriverTable(installed: rules)
        for (driver, bus) in [("brcmfmac", "sdio"), ("mt7925e", "pci")] {
            #expect(table.objection(to: .rebind, with: DriverName(driver, on: bus)) != nil)
        }
        #expect(table.objection(to: .bounce, with: DriverName("brcmfmac", on: "sdio")) == nil)
        // All four methods end the association, and the rule forbids them. A request to the owner stays
        // allowed.
        let mediatek = DriverName("mt7925e", on: "pci")
        for method in [Method.bounce, .rfkill, .rebind, .reset] {
            #expect(table.objection(to: method, with: mediatek) != nil, "\(method)")
        }
        #expect(table.objection(to: .owner, with: mediatek) == nil)
        for (driver, bus, isOff) in [
            ("brcmfmac", "sdio", true), ("rtw88_8822ce", "pci", true), ("rtw_8822ce", "pci", true),
            ("rtw88_8822bu", "usb", true), ("rtw_8822bu", "usb", true), ("rtw89_8852be", "pci", true),
            ("mt7925e", "pci", false),
            ("brcmfmac", "pci", false), ("iwlwifi", "pci", false),
        ] {
            let name = DriverName(driver, on: bus)
            #expect((table.reason(for: .auto, with: name) != nil) == isOff, "\(name)")
        }
        #expect(table.rule(for: DriverName("rtw_8821ce", on: "pci")) != nil)
        #expect(table.rule(for: DriverName("rtw88_8821ce", on: "pci")) != nil)
        #expect(table.rule(for: DriverName("rtw89_8852be_git", on: "pci")) != nil)
        #expect(table.rule(for: DriverName("brcmfmac", on: "pci")) == nil)
        #expect(table.rule(for: DriverName("iwlwifi", on: "pci")) == nil)
    }
}
