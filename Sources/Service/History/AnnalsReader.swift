import Toggling

/// Puts entries together to annals: it hears of the moments of all of them first, and takes them then.
struct AnnalsReader {
    /// What the wall clock showed when a boot began, as it stood when that boot was heard of last: a machine without a
    /// clock of its own starts somewhere in the past, and is told the time later.
    private var begins: [String: Int64] = [:]

    private var spans: [Annals.Span] = []
    /// How the link is since when; nil: nobody looks.
    private var current: (state: Annals.Span.State, since: Int64)?
    private var open: (outage: Annals.Outage, since: HistoryMoment)?
    /// Of the entry that was taken last.
    private var last: HistoryMoment?

    mutating func hear(of moment: HistoryMoment) { begins[moment.boot] = moment.wall - moment.sinceBoot }

    mutating func take(_ entry: HistoryEntry, into annals: inout Annals) {
        let now = time(entry.at)
        follow(entry, at: now, lastSeen: last.map(time))
        judge(entry, into: &annals)
        switch entry.what {
        case .acted(let deed): annals.deeds.append(.init(at: now, deed: deed, witness: entry.witness))
        case .sampled(let sample): annals.samples.append(.init(at: now, sample: sample))
        case .began, .ended, .changed, .vanished, .appeared, .slept: break
        }
        last = entry.at
    }

    mutating func end(into annals: inout Annals) {
        guard let last else { return }
        annals.last = time(last)
        close(at: time(last))
        if let (begun, since) = open {
            var outage = begun
            (outage.duration, outage.isExact) = span(since, last)
            annals.outages.append(outage)
        }
        annals.spans = spans
    }

    private func time(_ moment: HistoryMoment) -> Int64 {
        max(0, (begins[moment.boot] ?? 0) + moment.sinceBoot)
    }

    /// How long it took from one moment to another, and whether the boot clock alone says so.
    private func span(_ begin: HistoryMoment, _ end: HistoryMoment) -> (Duration, isExact: Bool) {
        let isExact = begin.boot == end.boot
        let milliseconds = isExact ? end.sinceBoot - begin.sinceBoot : time(end) - time(begin)
        return (.milliseconds(max(0, milliseconds)), isExact)
    }

    // MARK: How the link was

    private mutating func follow(_ entry: HistoryEntry, at now: Int64, lastSeen: Int64?) {
        switch entry.what {
        case .began:
            // Whoever watched before did not say that it ended.
            close(at: lastSeen ?? now)
            current = (.undetermined, now)
        case .ended:
            close(at: now)
        case .slept(let span):
            let state = current?.state
            let fell = now - span.nanoseconds / 1_000_000
            close(at: fell)
            append(Annals.Span(begin: fell, end: now, state: .asleep))
            current = state.map { ($0, now) }
        case .vanished: turn(to: .absent, at: now)
        case .appeared: turn(to: .undetermined, at: now)
        case .sampled: break
        case .changed(_, let since):
            // It was sick before that was settled.
            let begin = entry.condition == .sick ? max(earlier(entry.at, since), current?.since ?? 0) : now
            settle(entry, at: begin)
        case .acted: settle(entry, at: now)
        }
    }

    /// The time of an earlier moment of the same boot.
    private func earlier(_ moment: HistoryMoment, _ sinceBoot: Int64) -> Int64 {
        time(HistoryMoment(wall: 0, boot: moment.boot, sinceBoot: min(sinceBoot, moment.sinceBoot)))
    }

    private mutating func settle(_ entry: HistoryEntry, at moment: Int64) {
        switch entry.standing {
        case .healthy: turn(to: .healthy, at: moment)
        case .sick: turn(to: .sick, at: moment)
        case .undetermined: turn(to: .undetermined, at: moment)
        }
        // A one-shot has looked once: what is not sick is not watched.
        if entry.witness != .run, entry.standing != .sick { current = nil }
    }

    private mutating func turn(to state: Annals.Span.State, at moment: Int64) {
        if current?.state == state { return }
        close(at: moment)
        current = (state, moment)
    }

    private mutating func close(at moment: Int64) {
        if let (state, since) = current {
            append(Annals.Span(begin: since, end: moment, state: state))
        }
        current = nil
    }

    /// In their order, and none over another: where a clock was wrong a span is shorter, or left out.
    private mutating func append(_ span: Annals.Span) {
        var span = span
        span.begin = max(span.begin, spans.last?.end ?? 0)
        if span.end > span.begin { spans.append(span) }
    }

    // MARK: Outages

    private mutating func judge(_ entry: HistoryEntry, into annals: inout Annals) {
        switch entry.what {
        case .began, .ended, .appeared, .slept, .sampled: break
        case .vanished: endOutage(entry, .vanished, into: &annals)
        case .changed(let finding, let since):
            switch entry.standing {
            case .sick: beginOutage(entry, finding, since: since)
            case .healthy: endOutage(entry, .found, into: &annals)
            case .undetermined: endOutage(entry, .unjudged(finding.reason), into: &annals)
            }
        case .acted(let deed):
            if case .sick(let finding) = deed.cause, open == nil {
                beginOutage(entry, finding, since: entry.at.sinceBoot - duration(of: deed))
            } else if entry.standing == .sick {
                beginOutage(entry, deed.outcome, since: entry.at.sinceBoot)
            }
            open?.outage.deeds += 1
            switch entry.standing {
            case .sick: break
            case .healthy: endOutage(entry, .deed(deed), into: &annals)
            case .undetermined: endOutage(entry, .unjudged(deed.outcome.reason), into: &annals)
            }
        }
    }

    private func duration(of deed: HistoryDeed) -> Int64 {
        ((deed.down ?? .zero) + (deed.recovery ?? .zero)).nanoseconds / 1_000_000
    }

    private mutating func beginOutage(_ entry: HistoryEntry, _ finding: HistoryFinding, since: Int64) {
        guard open == nil else { return }
        var begin = entry.at
        begin.sinceBoot = min(max(0, since), entry.at.sinceBoot)
        open = (
            Annals.Outage(begin: time(begin), duration: .zero, isExact: true, finding: finding), begin
        )
    }

    private mutating func endOutage(
        _ entry: HistoryEntry, _ how: Annals.Outage.End, into annals: inout Annals
    ) {
        guard let (begun, since) = open else { return }
        var outage = begun
        open = nil
        outage.how = how
        (outage.duration, outage.isExact) = span(since, entry.at)
        // Never before its beginning, whatever the clocks of two boots say.
        outage.end = max(outage.begin, time(entry.at))
        annals.outages.append(outage)
    }
}
