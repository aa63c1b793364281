import Model

/// The options from one source: the command line, or one section of the configuration file. All values are in
/// range, so that combining layers cannot fail.
struct OptionLayer: Equatable, Sendable {
    private var values = OptionEntries<OptionValue>()
    /// The probes in the order in which they were given; empty: this source sets none.
    private var probes: [ProbeSpec] = []
    /// The quiet hours; empty: the source says `none`; nil: not set in this source.
    private var quietHours: [QuietWindow]?
    /// The values as they were written. Each probe, and each line of quiet hours, is an element of its own.
    private var texts = OptionEntries<[String]>()

    /// Takes one value. If an option is given twice, the last value wins; probes and quiet hours are
    /// collected.
    mutating func set(_ row: OptionRow, to text: String) throws(ValueProblem) {
        let value = try row.kind.parse(text)
        if case .quietHours(let windows) = value {
            // `none` removes what was given before it.
            let isFirst = quietHours?.isEmpty ?? true
            quietHours = windows.isEmpty ? [] : (quietHours ?? []) + windows
            texts[row.name] = windows.isEmpty || isFirst ? [text] : (texts[row.name] ?? []) + [text]
            return
        }
        guard case .probe(let probe) = value else {
            values[row.name] = value
            texts[row.name] = [text]
            // The last of `quiet` and `verbose` wins.
            if value == .flag(true), row.name == .quiet { values[.verbose] = nil }
            if value == .flag(true), row.name == .verbose { values[.quiet] = nil }
            return
        }
        let saysNone = probe.method == .none || probes.contains { $0.method == .none }
        if saysNone, !probes.isEmpty { throw .noneIsAlone }
        probes.append(probe)
        texts[row.name] = (texts[row.name] ?? []) + [text]
    }

    /// The values of an option as they were written, in the order in which they were given; nil: not set in
    /// this source.
    func texts(_ name: OptionName) -> [String]? { texts[name] }

    /// Throws if the two back-offs of this source contradict each other: the longest is below the first.
    func checkBackoff() throws(ValueProblem) {
        guard let first = duration(.backoff), let longest = duration(.backoffMaximum), longest < first else {
            return
        }
        throw .belowBackoff(first)
    }

    func flag(_ name: OptionName) -> Bool? {
        if case .flag(let value)? = values[name] { value } else { nil }
    }

    func duration(_ name: OptionName) -> Duration? {
        if case .duration(let value)? = values[name] { value } else { nil }
    }

    func count(_ name: OptionName) -> Int? {
        if case .count(let value)? = values[name] { value } else { nil }
    }

    func layers(_ name: OptionName) -> LayerSet? {
        if case .layers(let value)? = values[name] { value } else { nil }
    }

    var log: LogTarget? {
        if case .log(let value)? = values[.log] { value } else { nil }
    }

    private var powerSave: PowerSave? {
        if case .powerSave(let value)? = values[.powerSave] { value } else { nil }
    }

    var givesQuietHours: Bool { quietHours != nil }

    var methods: MethodText? {
        if case .methods(let value)? = values[.method] { value } else { nil }
    }

    func path(_ name: OptionName) -> String? {
        if case .path(let value)? = values[name] { value } else { nil }
    }

    func instant(_ name: OptionName) -> TimeText.Value? {
        if case .instant(let value)? = values[name] { value } else { nil }
    }

    func user(_ name: OptionName) -> String? {
        if case .user(let value)? = values[name] { value } else { nil }
    }

    /// The verbosity that `quiet` or `verbose` sets; nil: not set in this source.
    var verbosity: Verbosity? {
        if flag(.quiet) == true { return .quiet }
        return flag(.verbose) == true ? .verbose : nil
    }

    /// Applies this layer to the settings. A setting that this layer does not set stays.
    func apply(to settings: inout Settings) {
        settings.interval = duration(.interval) ?? settings.interval
        settings.delay = duration(.delay) ?? settings.delay
        settings.isForced = flag(.force) ?? settings.isForced
        settings.fall = count(.fall) ?? settings.fall
        settings.rise = count(.rise) ?? settings.rise
        settings.recheck = duration(.recheck) ?? settings.recheck
        settings.timeout = duration(.timeout) ?? settings.timeout
        settings.settle = duration(.settle) ?? settings.settle
        settings.grace = duration(.grace) ?? settings.grace
        settings.rebootAfter = duration(.rebootAfter) ?? settings.rebootAfter
        settings.degradedLoss = count(.degradedLoss) ?? settings.degradedLoss
        settings.degradedLatency = duration(.degradedLatency) ?? settings.degradedLatency
        settings.bouncesInUse = flag(.evenIfInUse) ?? settings.bouncesInUse
        settings.quietHours = quietHours ?? settings.quietHours
        settings.budget = count(.budget) ?? settings.budget
        settings.dailyBudget = count(.dailyBudget) ?? settings.dailyBudget
        settings.bouncedLayers = layers(.bounceOn) ?? settings.bouncedLayers
        settings.restores = flag(.restore) ?? settings.restores
        settings.fastReconnects = flag(.noFastReconnect).map { !$0 } ?? settings.fastReconnects
        settings.powerSave = powerSave ?? settings.powerSave
        settings.announces = flag(.announce) ?? settings.announces
        settings.isDryRun = flag(.dryRun) ?? settings.isDryRun
        settings.allowsAnyInterface = flag(.anyInterface) ?? settings.allowsAnyInterface
        settings.quorum = count(.quorum) ?? settings.quorum
        if let methods {
            (settings.methods, settings.methodsBesideAuto) = (methods.methods, methods.methodsBesideAuto)
            settings.hook = methods.hook
        }
        if !probes.isEmpty { settings.probes = probes }
        applyBackoff(to: &settings)
    }

    /// Keeps the longest back-off at or above the first one. The value that is applied last decides.
    private func applyBackoff(to settings: inout Settings) {
        if let first = duration(.backoff) {
            settings.backoff = first
            settings.backoffMaximum = max(settings.backoffMaximum, first)
        }
        if let longest = duration(.backoffMaximum) {
            settings.backoffMaximum = longest
            settings.backoff = min(settings.backoff, longest)
        }
    }
}
