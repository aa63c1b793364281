import Model

extension Quality {
    /// The numbers as text, such as `6 of the last 20 probes lost, median round trip 12ms`.
    private var numbers: String {
        "\(lost) of the last \(probes) probes lost, median round trip \(roundTrip.text)"
    }

    /// The degradations as text, such as `degraded by loss and latency`.
    private var condition: String {
        isDegraded ? "degraded by " + degradations.map(\.rawValue).joined(separator: " and ") : "fine"
    }

    /// The branch of the explanation (``Explanation``) about the quality.
    var branch: String {
        let power = savesPower.map { ", power saving is \($0 ? "on" : "off")" } ?? ""
        return "quality: \(condition) (\(numbers)\(power))"
    }

    /// The log line for a change of the quality; nil: nothing has changed.
    func news(after last: Quality?) -> Line? {
        guard degradations != last?.degradations ?? [] || savesPower == true && last?.savesPower != true
        else {
            return nil
        }
        guard isDegraded else { return Line(.notice, "no longer degraded: \(numbers)") }
        return Line(.warning, "\(condition): \(numbers)" + (savesPower == true ? "; power saving is on" : ""))
    }

    /// The value of the key `degraded`; null: the link is not degraded.
    var degradedJSON: JSONText {
        guard isDegraded else { return .null }
        return .object([
            ("by", .array(degradations.map { .string($0.rawValue) })),
            ("probes", .integer(Int64(probes))),
            ("lost", .integer(Int64(lost))),
            ("loss_percent", .integer(Int64(lossPercent))),
            ("rtt_ms", .milliseconds(roundTrip)),
            ("power_save", savesPower.map { .bool($0) } ?? .null),
        ])
    }
}
