import Foundation
import Model
import Testing

@testable import Invocation

@Suite("Messages about mistakes in the configuration file")
struct ConfigurationRemedyTests {
    private typealias Problem = ConfigurationError.Problem

    /// A file for each kind of mistake. The switch requires a line here for a new kind.
    private static func sample(_ problem: Problem) -> String {
        switch problem {
        case .text(.lineTooLong): "[default]\n" + String(repeating: "x", count: 300)
        case .text(.controlCharacter): "[default]\nfall = \u{7}"
        case .text(.notUnderstood): "[default]\nfall"
        case .text(.sectionTooLong): "[" + String(repeating: "x", count: 50) + "]"
        case .text(.textAfterSection): "[wlan0] fall = 3"
        case .keyOutsideSection: "fall = 3"
        case .badSection: "[wlan 0]"
        case .nearlyDefault: "[defaults]"
        case .notAHardwareAddress: "[mac=1]"
        case .unknownKey: "[default]\nfal = 3"
        case .commandLineOnly: "[default]\ncheck = yes"
        case .onlyInDefault: "[wlan0]\nlog = syslog"
        case .badValue: "[default]\nfall = x"
        }
    }

    private static let kinds: [Problem] = [
        .text(.lineTooLong(limit: 1)), .text(.controlCharacter(7)), .text(.notUnderstood("")),
        .text(.sectionTooLong("")), .text(.textAfterSection("")),
        .keyOutsideSection(""), .badSection("", .empty), .nearlyDefault(""), .notAHardwareAddress(""),
        .unknownKey("", suggestion: nil), .commandLineOnly(""), .onlyInDefault(""),
        .badValue(key: "", value: "", problem: .empty, example: ""),
    ]

    private func mistake(in text: String) -> ConfigurationError? {
        do throws(ConfigurationError) {
            _ = try ConfigurationFile.parse(text, path: "f")
            return nil
        } catch {
            return error
        }
    }

    @Test("every kind of mistake is reported with the file, the line, the value and what would be right")
    func kinds() throws {
        for kind in Self.kinds {
            let error = try #require(mistake(in: Self.sample(kind)), "\(kind)")
            #expect(Self.sample(error.problem) == Self.sample(kind), "\(kind): \(error.description)")
            let line = Self.sample(kind).split(separator: "\n").count
            #expect(error.description.hasPrefix("f:\(line): "), "\(error.description)")
            // A question, or a remedy in parentheses at the end.
            let isRemedied = error.description.hasSuffix(")") || error.description.hasSuffix("'?")
            #expect(isRemedied, "\(error.description)")
        }
    }

    @Test("a file that is corrected as the message says is valid")
    func sections() throws {
        for text in ["[defualt]", "[defaut]", "[defaults]", "[DEFAULT]", "[efault]"] {
            let error = try #require(mistake(in: text), "\(text)")
            let glob = error.description.split(separator: "[").last?.split(separator: "]").first ?? ""
            let name = text.dropFirst().dropLast()
            let file = try ConfigurationFile.parse("[\(glob)]\nfall = 7\n", path: "f")
            #expect(file.layers(for: String(name), addresses: []).count == 1, "\(error.description)")
        }
        // These may be names of interfaces, so they are no misspelt words.
        for name in ["def", "eth0", "wlan0", "fault", "wlx0", "defa*", "default*"] {
            #expect(mistake(in: "[\(name)]") == nil, "\(name)")
        }
        #expect(mistake(in: "[MAC=02:00:00:00:00:01]") == nil)
    }

    /// Keys with invalid values, each with a different mistake.
    private static let values: [(key: String, value: String)] = [
        ("delay", ""), ("delay", "soon"), ("delay", "90s"), ("interval", "1ms"),
        ("backoff-max", "1s\nbackoff = 2s"), ("fall", "x"), ("fall", "0"), ("force", "maybe"),
        ("method", "bonce"), ("method", "bounce:x"), ("method", "hook"), ("method", "hook:relative"),
        ("bounce-on", "gatway"), ("bounce-on", "radio"), ("log", "journald"), ("quiet-hours", "night"),
        ("quiet-hours", "25:00-06:00"), ("quiet-hours", "mun 22:00-06:00"), ("quiet-hours", "06:00-06:00"),
        ("probe", "imcp"), ("probe", "auto:x"), ("probe", "auto, none"), ("probe", "+none"),
        ("probe", "tcp:"),
        ("probe", "tcp:a"), ("probe", "tcp:a b:1"), ("probe", "tcp:a:x"), ("probe", "tcp:fd00::1:80"),
        ("probe", "neighbour:a"), ("probe", "dns:"), ("probe", "dns:a b"), ("probe", "dns:a@b"),
        ("probe", "http://a/"), ("probe", "http:ftp://a/"), ("probe", "http:http://a/ x"),
        ("probe", "http:http://a/ status=1"), ("probe", "http:http://a/ body="), ("probe", "command:"),
        ("probe", "command:x"), ("state-dir", ""), ("hooks-dir", "hooks.d"), ("command-user", "a b"),
    ]

    @Test("the example in a message about a bad value is itself a valid value", arguments: values)
    func examples(key: String, value: String) throws {
        let error = try #require(mistake(in: "[default]\n\(key) = \(value)\n"), "it was taken")
        let mark = "(for example: "
        let range = try #require(error.description.range(of: mark), "\(error.description)")
        let example = error.description[range.upperBound...].dropLast()
        #expect(example.hasPrefix("\(key) = ") && error.description.hasSuffix(")"), "\(error.description)")
        #expect(mistake(in: "[default]\n\(example)\n") == nil, "\(error.description)")
    }
}
