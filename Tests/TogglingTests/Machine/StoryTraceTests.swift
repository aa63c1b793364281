import Foundation
import Reporting
import Service
import Testing

@testable import Model
@testable import Toggling

/// `Tests/Traces/stories` has traces of the main stories, with every event and decision, so that a change of
/// policy shows its whole effect as a diff.
/// `UPDATE_GOLDEN=1 contrib/test --only unit --filter Golden` writes these traces anew.
@Suite("Golden traces of stories") struct GoldenStoryTests {
    struct Story: Sendable, CustomTestStringConvertible {
        var name: String
        var runMode: RunMode = .watch
        var settings = Settings()
        var sinceBoot: Duration = .seconds(1000)
        var tell: @Sendable (inout VirtualWorld) -> Void

        var testDescription: String { name }
    }

    static let stories = [
        Story(name: "healthy") { world in
            world.start()
            world.run(for: .seconds(121))
        },
        Story(name: "mute-gateway-healed") { world in
            world.start()
            world.run(for: .seconds(30))
            world.hosts.gatewayAnswers = false
            world.onRaise = { $0.hosts.gatewayAnswers = true }
            world.run(for: .seconds(90))
        },
        Story(name: "useless-bounces") { world in
            world.hosts.gatewayAnswers = false
            world.start()
            world.run(for: .seconds(1500))
        },
        Story(name: "backoff", settings: Sample.settings { $0.interval = .seconds(300) }) { world in
            world.onRaise = { $0.hosts.gatewayAnswers = true }
            world.start()
            for _ in 0..<3 {
                world.hosts.gatewayAnswers = false
                world.run(for: .seconds(600))
            }
        },
        Story(
            name: "budget-spent",
            settings: Sample.settings {
                $0.budget = 2
                $0.backoff = .seconds(1)
                $0.backoffMaximum = .seconds(1)
            }
        ) { world in
            world.onRaise = { $0.hosts.gatewayAnswers = true }
            world.start()
            for _ in 0..<3 {
                world.hosts.gatewayAnswers = false
                world.run(for: .seconds(200))
            }
        },
        Story(
            name: "ladder",
            settings: Sample.settings {
                $0.methods = [.reassociate, .bounce, .rfkill]
                $0.settle = .seconds(5)
            }
        ) { world in
            world.refused = [
                .bounce: Failure(kind: .notPermitted, code: 1, description: "Operation not permitted")
            ]
            world.hosts.gatewayAnswers = false
            world.onMethod = { if $1 == .rfkill { $0.hosts.gatewayAnswers = true } }
            world.start()
            world.run(for: .seconds(90))
        },
        Story(name: "alive-without-its-gateway") { world in
            world.conditions.liveness = [Sample.alive]
            world.hosts.gatewayAnswers = false
            world.onRaise = { $0.hosts.gatewayAnswers = true }
            world.start()
            world.run(for: .seconds(90))
            world.conditions.liveness = []
            world.run(for: .seconds(90))
        },
        Story(name: "network-not-found-and-back") { world in
            world.start()
            world.run(for: .seconds(10))
            world.link.isInRange = false
            world.tell(.disconnected(nil))
            world.run(for: .seconds(120))
            world.link.isInRange = true
            world.run(for: .seconds(120))
        },
        Story(name: "grace-after-boot", sinceBoot: .seconds(10)) { world in
            world.link.isInRange = false
            world.start()
            world.run(for: .seconds(90))
        },
        Story(name: "rfkill") { world in
            world.start()
            world.run(for: .seconds(10))
            world.link.radio = .soft
            world.link.isUp = false
            world.tell(.radioChanged(.soft))
            world.run(for: .seconds(120))
            world.link.radio = .none
            world.link.isUp = true
            world.tell(.linkChanged(Sample.link()))
            world.run(for: .seconds(60))
        },
        Story(name: "rfkill-while-kept-down", settings: Sample.settings { $0.isForced = true }) { world in
            world.start()
            world.run(for: .seconds(1))
            world.raisingFailure = Failure(kind: .radioBlocked, code: 132, description: "RF-kill")
            world.run(for: .seconds(10))
            world.raisingFailure = nil
            world.tell(.radioChanged(.none))
            world.run(for: .seconds(10))
        },
        Story(name: "held") { world in
            world.conditions.administrativeHold = .until(world.now + .seconds(150))
            world.hosts.gatewayAnswers = false
            world.onRaise = { $0.hosts.gatewayAnswers = true }
            world.start()
            world.run(for: .seconds(240))
        },
        Story(name: "set-down-by-a-user") { world in
            world.start()
            world.run(for: .seconds(10))
            world.link.isUp = false
            world.tell(.linkChanged(Sample.link(isUp: false)))
            world.run(for: .seconds(120))
            world.link.isUp = true
            world.tell(.linkChanged(Sample.link()))
            world.run(for: .seconds(60))
        },
        Story(name: "disconnected-by-a-user") { world in
            world.start()
            world.run(for: .seconds(10))
            world.link.isInRange = false
            world.link.heard = [Sample.own]
            world.tell(.disconnected(Sample.leave))
            world.run(for: .seconds(120))
            world.tell(.joinAttempted)
            world.link.isInRange = true
            world.tell(.addressingChanged)
            world.run(for: .seconds(60))
        },
        Story(name: "unplugged-and-back") { world in
            world.start()
            world.run(for: .seconds(10))
            world.tell(.linkRemoved)
            world.run(for: .seconds(60))
            world.tell(.linkAppeared(Sample.link()))
            world.run(for: .seconds(60))
        },
        Story(name: "no-right-to-probe") { world in
            world.hosts.mayProbe = false
            world.start()
            world.run(for: .seconds(121))
        },
        Story(name: "plain-timer", settings: Sample.settings { $0.isForced = true }) { world in
            world.start()
            world.run(for: .seconds(70))
            world.tell(.terminationRequested)
        },
        Story(
            name: "stopped-while-kept-down",
            settings: Sample.settings {
                $0.isForced = true
                $0.delay = .seconds(20)
            }
        ) { world in
            world.start()
            world.run(for: .seconds(5))
            world.tell(.terminationRequested)
            world.run(for: .seconds(5))
        },
        Story(name: "dry-run", settings: Sample.settings { $0.isDryRun = true }) { world in
            world.hosts.gatewayAnswers = false
            world.start()
            world.run(for: .seconds(120))
        },
        Story(name: "reconnect-heals", runMode: .reconnect) { world in
            world.hosts.gatewayAnswers = false
            world.onRaise = { $0.hosts.gatewayAnswers = true }
            world.start()
            world.run(for: .seconds(60))
        },
        Story(name: "toggle-loses-route", runMode: .toggle) { world in
            world.configuration.restoration = Restoration(
                lost: ["default via 10.77.0.1"], restored: ["default via 10.77.0.1"])
            world.start()
            world.run(for: .seconds(60))
        },
    ]

    private static let seed: UInt64 = 1

    @Test("the core decides a story as recorded in its trace", arguments: stories)
    func story(_ story: Story) throws {
        let text = Self.trace(of: story)
        try GoldenTrace.compare(text, with: "stories/\(story.name)")
        #expect(try GoldenTrace.replayed(text) == text, "what was recorded is decided the same again")
    }

    @Test("every recorded story still exists")
    func complete() throws {
        #expect(try GoldenTrace.names(in: "stories") == Self.stories.map { $0.name }.sorted())
    }

    private static func trace(of story: Story) -> String {
        let beginning = Trace.Beginning(runMode: story.runMode, settings: story.settings, seed: seed)
        var world = VirtualWorld(story.runMode, story.settings, sinceBoot: story.sinceBoot, seed: seed)
        let recording = Recording(beginning, at: world.now)
        world.recorder = { recording.take($0, $1, $2) }
        story.tell(&world)
        return recording.text
    }
}

/// Records a story as the text of a trace.
private final class Recording {
    private(set) var text: String

    init(_ beginning: Trace.Beginning, at now: Instant) {
        text = Trace.title(program: "story") + Trace.beginning(beginning, Self.stamp(now))
    }

    func take(_ event: Event, _ now: Instant, _ effects: [Effect]) {
        text += Trace.turn(event, effects, Self.stamp(now))
    }

    private static func stamp(_ now: Instant) -> Trace.Stamp {
        Trace.Stamp(at: now, id: 1, interface: "wlan0")
    }
}
