import Glibc
import Model
import Platform
import TestSupport

@testable import Invocation
@testable import Reporting
@testable import Toggling

/// Messages about files: driver files, traces and histories.
enum FileExamples {
    private static let driverFile = "/etc/wifi-toggler/drivers.conf"

    /// The reasons why a driver file is not read.
    static var refusedDrivers: [String] {
        [ELOOP, EPERM, EFBIG].map {
            "\(driverFile): \(TrustedFile.description(of: SystemError(call: "openat", code: $0)))"
        }
    }

    /// Mistakes in a driver file.
    static var drivers: [String] {
        let section = "[mt7925e pci]\n"
        return [
            section + String(repeating: "x", count: 5000), section + "fault = \u{1}", "mt7925e pci",
            section + "[rtw88_* usb] x", "[\(String(repeating: "x", count: 120)) pci]", "forbid = rebind",
            "[mt7925e]", section + section, section + "forbidden = rebind", section + "colour = red",
            section + "fault = a\nfault = b", section + "forbid =", section + "fault = \u{200b}",
            section + "forbid = rebnd", section + "forbid = everything",
            section + "forbid = rebind\nallow = rebind", section + "power-save = on",
        ].map { text in
            do throws(DriverFileError) {
                _ = try DriverFile.parse(text, path: driverFile)
                return "no mistake: \(text)"
            } catch {
                return error.description
            }
        }
    }

    /// Mistakes in a trace.
    static var traces: [String] {
        let title = Trace.title(program: "0.1.0")
        let event = #"{"at":1,"id":1,"interface":"wlan0","event":{"cycleRequested":{}}}"#
        let texts = ["", event, title + event, title + #"{"id":1,"does":{"cancelAll":{}}}"#, title + "[]"]
        let mistakes = texts.map { text -> TraceMistake? in
            var replay = Replay()
            do throws(TraceMistake) {
                for line in text.utf8.split(separator: UInt8(ascii: "\n")) {
                    _ = try replay.take(Array(line)[...])
                }
                _ = try replay.end()
                return nil
            } catch {
                return error
            }
        }
        let others: [TraceMistake] = [
            .missing("begins.settings"), .unexpected("event.bounced"), .unfit("at"), .outOfRange("at"),
            .tooLong(bytes: 5_000_000), .otherVersion(1),
        ]
        return (mistakes.compactMap(\.self) + others + notJSON).map { "/var/tmp/trace:1: \($0.description)" }
    }

    /// The mistakes in texts that are not valid JSON.
    private static var notJSON: [TraceMistake] {
        let bytes =
            [
                "no", "{} x", "{\"a\":1", String(repeating: "[", count: 40), "{\"a\":1,\"a\":2}", "01", "1.",
                "\"\t\"",
                "9223372036854775807.5", "\"\\", "\"\\x\"", "\"\\ud83d\\u0041\"", "\"\\ud83d\"",
                "\"\\u00g0\"",
            ].map { Array($0.utf8) } + [[0x22, 0xff, 0x22]]
        return bytes.compactMap { bytes in
            do throws(JSONReader.Mistake) {
                _ = try JSONReader.value(of: bytes[...])
                return nil
            } catch {
                return .notJSON(error.what, position: error.position)
            }
        }
    }

    /// The control socket's error if a history cannot be read.
    static func slowDisk() throws -> [String] {
        let archive = FakeArchive(["wlan0": []])
        archive.pauses = .max
        let error = try archive.tell().error
        return [error].compactMap(\.self).map { "\($0.name): \($0.reason ?? "")" }
    }

    /// A history with each way in which an outage ends, and each kind of action.
    static var history: [String] {
        let sick = RecordedVerdict(HistorySamples.sick)
        let healthy = RecordedVerdict(HistorySamples.healthy)
        var minute: Int64 = 0
        func entry(_ what: HistoryEntry.What, _ condition: Health.Condition) -> HistoryEntry {
            minute += 1
            return HistorySamples.entry(what, condition, at: HistorySamples.instant(minute * 60_000))
        }
        let asleep = RecordedVerdict(.unknown, reason: "the machine goes down")
        let entries = [
            entry(.changed(sick, since: 60_000), .sick),
            entry(.withheld(.sick(sick), methods: ["owner", "bounce"]), .sick),
            entry(.withheld(.block, methods: []), .sick),
            entry(.changed(healthy, since: 240_000), .healthy),
            entry(.acted(RecordedAction(cause: .block, action: "raised", outcome: healthy)), .healthy),
            entry(.changed(sick, since: 360_000), .sick), entry(.vanished, .undetermined),
            entry(.appeared, .undetermined), entry(.changed(sick, since: 540_000), .sick),
            entry(
                .acted(RecordedAction(cause: .sick(sick), action: "rebooting", outcome: asleep)), .sick),
        ]
        return HistoryText(
            Timeline(of: "wlan0", entries), isVerbose: false, wallTime: HistoryShownTests.wallTime
        ).lines
    }
}
