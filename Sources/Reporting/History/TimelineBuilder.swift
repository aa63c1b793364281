import Model

/// Builds a timeline from entries in two passes: the first takes only the times, the second the entries.
struct TimelineBuilder {
    /// When each boot began, in milliseconds since 1970, by the wall clock of the last entry of that boot,
    /// because a machine without a hardware clock begins with a wrong time.
    private var begins: [String: Int64] = [:]
    private var boots = BootBegins()

    private var spans: [Timeline.Span] = []
    /// The current state of the link, and since when; nil: the link is not watched.
    private var current: (state: Timeline.Span.State, since: Int64)?
    private var open: (outage: Timeline.Outage, since: Timestamp)?
    /// The time of the last entry.
    private var last: Timestamp?

    mutating func hear(of instant: Timestamp) { begins[instant.boot] = boots.hear(of: instant) }

    mutating func take(_ entry: HistoryEntry, into timeline: inout Timeline) {
        let now = time(entry.at)
        follow(entry, at: now, lastSeen: last.map(time))
        judge(entry, into: &timeline)
        switch entry.what {
        case .acted(let action):
            timeline.actions.append(.init(at: now, action: action, command: entry.command))
        case .withheld(let cause, let methods):
            timeline.withheld.append(
                .init(at: now, cause: cause, methods: methods, command: entry.command))
        case .sampled(let sample): timeline.samples.append(.init(at: now, sample: sample))
        case .began, .ended, .changed, .vanished, .appeared, .slept: break
        }
        last = entry.at
    }

    mutating func end(into timeline: inout Timeline) {
        guard let last else { return }
        timeline.last = time(last)
        close(at: time(last))
        if let (begun, since) = open {
            var outage = begun
            (outage.duration, outage.isExact) = duration(since, last)
            timeline.outages.append(outage)
        }
        timeline.spans = spans
    }

    private func time(_ instant: Timestamp) -> Int64 {
        ((begins[instant.boot] ?? 0) + instant.sinceBoot).clamped(to: Timestamp.wallTimes)
    }

    /// The time between two timestamps, a century at most, and whether it was computed from the boot clock
    /// alone.
    private func duration(_ begin: Timestamp, _ end: Timestamp) -> (Duration, isExact: Bool) {
        let isExact = begin.boot == end.boot
        let milliseconds = isExact ? end.sinceBoot - begin.sinceBoot : time(end) - time(begin)
        return (.milliseconds(milliseconds.clamped(to: 0...Timestamp.longestAge)), isExact)
    }

    // MARK: State of the link

    private mutating func follow(_ entry: HistoryEntry, at now: Int64, lastSeen: Int64?) {
        switch entry.what {
        case .began:
            // If the link is still being watched here, the earlier service did not record its end: it was
            // killed, or the machine lost power.
            close(at: lastSeen ?? now)
            current = (.undetermined, now)
        case .ended:
            close(at: now)
        case .slept(let duration):
            let state = current?.state
            let fell = now - duration.nanoseconds / 1_000_000
            close(at: fell)
            append(Timeline.Span(begin: fell, end: now, state: .asleep))
            current = state.map { ($0, now) }
        case .vanished: turn(to: .absent, at: now)
        case .appeared: turn(to: .undetermined, at: now)
        case .sampled(let sample):
            // The entries about the link's health may have been dropped with the older file.
            guard current == nil, entry.command == .run else { break }
            if sample.checks == 0 { turn(to: .absent, at: now) } else { settle(entry, at: now) }
        case .withheld: break
        case .changed(_, let since):
            // The link was sick before the health changed, which takes as many sick verdicts as `fall` says.
            let begin = entry.condition == .sick ? max(earlier(entry.at, since), current?.since ?? 0) : now
            settle(entry, at: begin)
        case .acted: settle(entry, at: now)
        }
    }

    /// The wall-clock time of an earlier instant in the same boot.
    private func earlier(_ instant: Timestamp, _ sinceBoot: Int64) -> Int64 {
        time(Timestamp(wall: 0, boot: instant.boot, sinceBoot: min(sinceBoot, instant.sinceBoot)))
    }

    private mutating func settle(_ entry: HistoryEntry, at instant: Int64) {
        switch entry.health {
        case .healthy: turn(to: .healthy, at: instant)
        case .sick: turn(to: .sick, at: instant)
        case .undetermined: turn(to: .undetermined, at: instant)
        }
        // A one-shot ends with this entry. So the link counts as not watched, unless it is left sick.
        if entry.command != .run, entry.health != .sick { current = nil }
    }

    private mutating func turn(to state: Timeline.Span.State, at instant: Int64) {
        if current?.state == state { return }
        close(at: instant)
        current = (state, instant)
    }

    private mutating func close(at instant: Int64) {
        if let (state, since) = current {
            append(Timeline.Span(begin: since, end: instant, state: state))
        }
        current = nil
    }

    /// Appends a span. The spans stay in order and without overlap: if the clock was wrong, a span is
    /// shortened or dropped.
    private mutating func append(_ duration: Timeline.Span) {
        var duration = duration
        duration.begin = max(duration.begin, spans.last?.end ?? 0)
        if duration.end > duration.begin { spans.append(duration) }
    }

    // MARK: Outages

    private mutating func judge(_ entry: HistoryEntry, into timeline: inout Timeline) {
        if open == nil, let begin = entry.outageBegin, let finding = entry.outageFinding {
            let outage = Timeline.Outage(begin: time(begin), duration: .zero, isExact: true, finding: finding)
            open = (outage, begin)
        }
        if case .acted = entry.what { open?.outage.actions += 1 }
        if entry.endsOutage { endOutage(entry, into: &timeline) }
    }

    private mutating func endOutage(_ entry: HistoryEntry, into timeline: inout Timeline) {
        guard let (begun, since) = open else { return }
        var outage = begun
        open = nil
        outage.how = entry.outageEnd
        (outage.duration, outage.isExact) = duration(since, entry.at)
        // The end must not be before the beginning, even if the clocks of two boots say so.
        outage.end = max(outage.begin, time(entry.at))
        timeline.outages.append(outage)
    }
}

extension HistoryEntry {
    /// The verdict with which an outage begins.
    fileprivate var outageFinding: RecordedVerdict? {
        switch what {
        case .changed(let finding, _): finding
        case .acted(let action): if case .sick(let finding) = action.cause { finding } else { action.outcome }
        case .began, .ended, .vanished, .appeared, .slept, .sampled, .withheld: nil
        }
    }

    /// How an outage ends with this entry.
    fileprivate var outageEnd: Timeline.Outage.End? {
        switch what {
        case .vanished: .vanished
        case .changed(let finding, _): health == .healthy ? .found : .unjudged(finding.reason)
        case .acted(let action):
            health == .healthy ? .action(action) : .unjudged(action.outcome.reason)
        case .began, .ended, .appeared, .slept, .sampled, .withheld: nil
        }
    }
}
