import Invocation
import Model
import Toggling

/// The text of a configuration file, and the settings that follow from it.
enum ConfigurationTexts {
    private static let path = "fuzz.conf"
    private static let interfaces: [(name: String, address: [UInt8])] = [
        ("wlan0", [2, 0, 0, 0, 0, 1]), ("wlp2s0", [2, 0, 0, 0, 0, 2]), ("eth0", [0, 0, 0, 0, 0, 0]),
    ]

    @MainActor static func take(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        let file: ConfigurationFile
        do throws(ConfigurationError) {
            file = try ConfigurationFile.parse(text, path: path)
        } catch {
            check(error, of: bytes)
            return
        }
        // A text without settings changes nothing.
        let more = text + "\r\n\n# the end\n \t; of it\n"
        demand((try? ConfigurationFile.parse(more, path: path)) == file, "comments at the end change it")
        guard case .perform(let request)? = try? Invocation.parse(["run"]) else {
            fatalError("'run' is no request")
        }
        let merged = request.merging(file)
        demand(merged.merging(file) == merged, "merged twice is something else")
        demand((Duration.zero...Duration.seconds(3600)).contains(merged.wait), "wait: \(merged.wait)")
        for (name, address) in interfaces {
            check(merged.settings(for: name, addresses: [MACAddress(address)].compactMap(\.self), file: file))
        }
    }

    private static func check(_ error: ConfigurationError, of bytes: [UInt8]) {
        let lines = bytes.count { $0 == UInt8(ascii: "\n") } + 1
        demand((1...lines).contains(error.line), "line \(error.line) of \(lines)")
        demandPrintable(error.description)
        demand(
            error.description.hasPrefix("\(path):\(error.line): "), "not in its place: \(error.description)")
    }

    /// The ranges that the rest of the program relies on (`Settings`).
    static func check(_ settings: Settings) {
        demand(settings.interval > .zero, "interval: \(settings.interval)")
        demand((Duration.zero...Duration.seconds(60)).contains(settings.delay), "delay: \(settings.delay)")
        demand(!settings.probes.isEmpty, "no probe")
        demand((1...16).contains(settings.quorum), "quorum: \(settings.quorum)")
        demand(settings.fall >= 1 && settings.rise >= 1, "fall \(settings.fall), rise \(settings.rise)")
        demand(settings.recheck > .zero, "recheck: \(settings.recheck)")
        demand(settings.timeout > .zero, "timeout: \(settings.timeout)")
        demand(settings.settle >= .zero, "settle: \(settings.settle)")
        demand(settings.backoff >= .zero, "backoff: \(settings.backoff)")
        demand(settings.backoffMaximum >= settings.backoff, "backoff-max: \(settings.backoffMaximum)")
        demand((0...100).contains(settings.degradedLoss), "degraded-loss: \(settings.degradedLoss)")
        demand(settings.degradedLatency >= .zero, "degraded-latency: \(settings.degradedLatency)")
        demand(settings.budget >= 1, "budget: \(settings.budget)")
    }
}
