import Model
import Toggling

// What was wanted, in a trace. All is written; a setting that an older trace does not know has its default.

extension Settings {
    var traceJSON: JSONText {
        .members([
            ("interval", .duration(interval)), ("delay", .duration(delay)),
            ("probes", .array(probes.map(\.traceJSON))),
            ("force", .bool(isForced)), ("fall", .number(fall)), ("rise", .number(rise)),
            ("recheck", .duration(recheck)), ("timeout", .duration(timeout)), ("settle", .duration(settle)),
            ("backoff", .duration(backoff)), ("backoff_max", .duration(backoffMaximum)),
            ("grace", .duration(grace)),
            ("budget", .number(budget)), ("degraded_loss", .number(degradedLoss)),
            ("degraded_latency", .duration(degradedLatency)),
            ("bounce_on", .array(Layer.allCases.filter(bouncedLayers.contains).map { .tagged($0) })),
            ("quorum", .number(quorum)), ("quiet_hours", .array(quietHours.map(\.traceJSON))),
            ("even_if_in_use", .bool(bouncesInUse)), ("restore", .bool(restores)),
            ("fast_reconnect", .bool(fastReconnects)), ("dry_run", .bool(isDryRun)),
            ("any_interface", .bool(allowsAnyInterface)),
            ("methods", .array(methods.map { .tagged($0) })), ("hook", hook.map { .string($0) }),
        ])
    }

    init(traceJSON json: JSONText) throws(TraceMistake) {
        self.init()
        var object = try TraceObject(json)
        try takeTimes(&object)
        try takeCounts(&object)
        if let list = object.takeIfThere("probes") {
            probes = try list.items().map(ProbeSpec.init(traceJSON:))
            guard !probes.isEmpty else { throw .not("at least one probe") }
        }
        if let list = object.takeIfThere("bounce_on") { bouncedLayers = try list.layers() }
        if let list = object.takeIfThere("quiet_hours") {
            quietHours = try list.items().map(QuietWindow.init(traceJSON:))
        }
        if let list = object.takeIfThere("methods") { methods = try list.methods() }
        hook = try object.takeIfThere("hook")?.text()
        bouncesInUse = try object.takeIfThere("even_if_in_use")?.flag() ?? bouncesInUse
        isForced = try object.takeIfThere("force")?.flag() ?? isForced
        restores = try object.takeIfThere("restore")?.flag() ?? restores
        fastReconnects = try object.takeIfThere("fast_reconnect")?.flag() ?? fastReconnects
        isDryRun = try object.takeIfThere("dry_run")?.flag() ?? isDryRun
        allowsAnyInterface = try object.takeIfThere("any_interface")?.flag() ?? allowsAnyInterface
        try object.end()
    }

    /// No option allows more.
    private static let longest: Duration = .seconds(366 * 86400)
    private static let shortest: Duration = .nanoseconds(1)
    private static let most = 1_000_000

    private mutating func takeTimes(_ object: inout TraceObject) throws(TraceMistake) {
        let longest = Self.longest
        let shortest = Self.shortest
        interval =
            try object.takeIfThere("interval")?.duration(atLeast: shortest, atMost: longest) ?? interval
        delay = try object.takeIfThere("delay")?.duration(atLeast: .zero, atMost: longest) ?? delay
        recheck = try object.takeIfThere("recheck")?.duration(atLeast: shortest, atMost: longest) ?? recheck
        timeout = try object.takeIfThere("timeout")?.duration(atLeast: shortest, atMost: longest) ?? timeout
        settle = try object.takeIfThere("settle")?.duration(atLeast: .zero, atMost: longest) ?? settle
        backoff = try object.takeIfThere("backoff")?.duration(atLeast: .zero, atMost: longest) ?? backoff
        backoffMaximum =
            try object.takeIfThere("backoff_max")?.duration(atLeast: .zero, atMost: longest) ?? backoffMaximum
        grace = try object.takeIfThere("grace")?.duration(atLeast: .zero, atMost: longest) ?? grace
        degradedLatency =
            try object.takeIfThere("degraded_latency")?.duration(atLeast: .zero, atMost: longest)
            ?? degradedLatency
    }

    private mutating func takeCounts(_ object: inout TraceObject) throws(TraceMistake) {
        fall = try object.takeIfThere("fall")?.number(in: 1...Self.most) ?? fall
        rise = try object.takeIfThere("rise")?.number(in: 1...Self.most) ?? rise
        quorum = try object.takeIfThere("quorum")?.number(in: 1...Self.most) ?? quorum
        budget = try object.takeIfThere("budget")?.number(in: 1...Self.most) ?? budget
        degradedLoss = try object.takeIfThere("degraded_loss")?.number(in: 0...100) ?? degradedLoss
    }
}

extension JSONText {
    /// In the order in which they are tried.
    fileprivate func methods() throws(TraceMistake) -> [Method] {
        var methods: [Method] = []
        for item in try items() {
            let (method, nothing) = try item.tag("a method", Method.self)
            try nothing.nothing()
            guard methods.last.map({ $0 < method }) ?? true else { throw .not("methods in their order") }
            methods.append(method)
        }
        guard !methods.isEmpty else { throw .not("at least one method") }
        return methods
    }

    fileprivate func layers() throws(TraceMistake) -> LayerSet {
        var layers: LayerSet = []
        for item in try items() {
            let (layer, nothing) = try item.tag("a layer", Layer.self)
            try nothing.nothing()
            layers.insert(layer)
        }
        return layers
    }
}
