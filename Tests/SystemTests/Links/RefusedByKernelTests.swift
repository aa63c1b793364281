import Glibc
import Testing

/// The kernel refuses to lower or to raise the link, for reasons of its own.
@Suite("Changes that the kernel refuses", .needsRoot)
struct RefusedByKernelTests {
    /// What prevents the raise of a link that can be lowered.
    enum Obstacle: String, CaseIterable, CustomTestStringConvertible {
        /// Another tunnel has taken the UDP port meanwhile: EADDRINUSE.
        case takenPort
        /// The link below is down: ENETDOWN.
        case parentDown

        var testDescription: String { rawValue }
        static let device = "fussy0"

        /// Whether this kernel knows the type of device that the case needs. If making the device fails for
        /// another reason, the result is true, so that the tests find the failure.
        var isPossible: Bool {
            get throws {
                let link = try VirtualLink(gateway: .none)
                let device =
                    switch self {
                    case .takenPort: "name \(Self.device) type vxlan id 7 dstport 47890"
                    case .parentDown: "link \(VirtualLink.near) name \(Self.device) type vlan id 5"
                    }
                let outcome = try Child(["sh", "-c", "ip -n \(link.nearNamespace) link add \(device)"])
                    .outcome()
                let words = ["Unknown device type", "not supported"]
                return !words.contains { outcome.standardError.contains($0) }
            }
        }

        var words: String {
            switch self {
            case .takenPort: "Address already in use"
            case .parentDown: "Network is down"
            }
        }

        func make(_ link: VirtualLink) throws {
            switch self {
            case .takenPort:
                try link.nearIP("link set lo up")
                try link.nearIP("link add \(Self.device) type vxlan id 7 local 127.0.0.1 dstport 47890")
                // Because its options differ, it cannot share the first tunnel's socket.
                try link.nearIP("link add rival0 type vxlan id 8 local 127.0.0.1 dstport 47890 gbp")
            case .parentDown:
                try link.nearIP("link add link \(VirtualLink.near) name \(Self.device) type vlan id 5")
            }
            try link.nearIP("address add 10.78.0.2/24 dev \(Self.device)")
            try link.nearIP("link set \(Self.device) up")
        }

        func arise(_ link: VirtualLink) throws {
            switch self {
            case .takenPort: try link.nearIP("link set rival0 up")
            case .parentDown: try link.nearIP("link set \(VirtualLink.near) down")
            }
        }

        func goAway(_ link: VirtualLink) throws {
            switch self {
            case .takenPort: try link.nearIP("link set rival0 down")
            case .parentDown: try link.nearIP("link set \(VirtualLink.near) up")
            }
        }
    }

    @Suite(
        "A tunnel that cannot be raised while another tunnel has its port",
        .possible(.takenPort, "VXLAN devices"))
    struct TakenPort {
        @Test("the service reports the reason, retries, and raises the link once the reason is gone")
        func service() throws { try Refusal(.takenPort).service() }

        @Test("if a raise fails at the service's end, no other link is checked again, and the status is 71")
        func ending() throws { try Refusal(.takenPort).ending() }

        @Test(
            "a one-shot ends with 0 once the raise succeeds, or gives up with 71 and leaves it to its guard",
            arguments: [true, false])
        func oneShot(goesAway: Bool) throws { try Refusal(.takenPort).oneShot(goesAway: goesAway) }
    }

    @Suite(
        "A VLAN that cannot be raised while the link below it is down", .possible(.parentDown, "VLAN devices")
    )
    struct ParentDown {
        @Test("the service reports the reason, retries, and raises the link once the reason is gone")
        func service() throws { try Refusal(.parentDown).service() }

        @Test(
            "a one-shot ends with 0 once the raise succeeds, or gives up with 71 and leaves it to its guard",
            arguments: [true, false])
        func oneShot(goesAway: Bool) throws { try Refusal(.parentDown).oneShot(goesAway: goesAway) }
    }

    /// Root of a user namespace that does not own the network namespace has CAP_NET_ADMIN, but without effect
    /// on this network namespace: the kernel refuses.
    @Test("if the kernel refuses to lower the link with EPERM, the status is 77, with the error text")
    func foreignUserNamespace() throws {
        let link = try VirtualLink()
        let trace = try LinkTrace(link)
        let prefix = ["unshare", "--user", "--map-root-user", "--"]
        let outcome = try link.start("toggle", prefix: prefix).outcome()
        #expect(outcome.status == 77, "\(outcome)")
        #expect(outcome.words.contains("could not lower the link: Operation not permitted"), "\(outcome)")
        #expect(try trace.isUntouched())
        #expect(try link.isUp)
    }

    @Test("a service that may not lower the link says so and continues to check")
    func foreignUserNamespaceService() throws {
        let link = try VirtualLink()
        let trace = try LinkTrace(link)
        let program = try link.start(
            "run", ["--force", "--interval", "300ms", "--json"],
            prefix: ["unshare", "--user", "--map-root-user", "--"])
        try eventually("three attempts", detail: program.transcript) {
            RunOutcome.objects(in: program.standardOutput).count >= 3
        }
        #expect(program.standardError.contains("Operation not permitted"), "\(program.transcript)")
        #expect(try trace.isUntouched())
        program.send(SIGTERM)
        let outcome = try program.outcome()
        #expect(outcome.status == 0, "\(outcome)")
    }
}

extension Trait where Self == ConditionTrait {
    /// Skips a case if this kernel lacks the devices that it needs. In CI a skipped test is a failure, unless
    /// contrib/test lists this reason (`may_be_skipped`).
    fileprivate static func possible(_ obstacle: RefusedByKernelTests.Obstacle, _ devices: String) -> Self {
        .enabled(if: try geteuid() != 0 || obstacle.isPossible, "this kernel has no \(devices)")
    }
}

/// What the service and a one-shot do about a link that the kernel refuses to raise.
private struct Refusal {
    typealias Obstacle = RefusedByKernelTests.Obstacle
    let obstacle: Obstacle

    init(_ obstacle: Obstacle) { self.obstacle = obstacle }

    private static let options = ["--verbose", "--delay", "5s", "--settle", "0", "--probe", "none"]

    func service() throws {
        let link = try VirtualLink(gateway: .none)
        try obstacle.make(link)
        let program = try link.start(
            "run", Self.options + ["--force", "--interval", "1h"], interface: Obstacle.device)
        try ProgramState.keptDown.reach(program)
        try obstacle.arise(link)
        try eventually("it is said", detail: program.transcript) {
            program.standardError.contains(
                "\(Obstacle.device): could not raise the link: \(obstacle.words), trying again")
        }
        #expect(try !link.isUp(Obstacle.device))
        try obstacle.goAway(link)
        try eventually("it is raised", detail: program.transcript) { try link.isUp(Obstacle.device) }
        try eventually("it is told", detail: program.transcript) {
            program.standardError.contains("link up after")
        }
        #expect(program.standardError.count(of: "could not raise") == 1, "\(program.transcript)")
        program.send(SIGTERM)
        let outcome = try program.outcome()
        #expect(outcome.status == 0, "\(outcome)")
    }

    func ending() throws {
        let link = try VirtualLink(gateway: .none)
        try obstacle.make(link)
        let options = Self.options + ["--force", "--interval", "1h", VirtualLink.near]
        let program = try link.start("run", options, interface: Obstacle.device)
        try eventually("both links are kept down", detail: program.transcript) {
            program.standardError.count(of: "→ keeping down") == 2
        }
        try obstacle.arise(link)
        program.send(SIGTERM)
        // The service tries for a second to raise the device with the obstacle. The other link is up at once,
        // and each of its changes is announced.
        var (sizes, changes) = ([1300, 1400], 0)
        try eventually("it has ended", detail: program.transcript) {
            sizes.swapAt(0, 1)
            try link.nearIP("link set \(VirtualLink.near) mtu \(sizes[0])")
            changes += 1
            return program.isOver
        }
        #expect(changes > 1, "the other link has changed while the service was ending")
        let outcome = try program.outcome()
        #expect(outcome.status == 71, "\(outcome)")
        #expect(outcome.words.contains("giving up; the guard continues to try"), "\(outcome)")
        #expect(outcome.words.count(of: "\(VirtualLink.near): idle → checking") == 1, "\(outcome)")
    }

    func oneShot(goesAway: Bool) throws {
        let link = try VirtualLink(gateway: .none)
        try obstacle.make(link)
        let program = try link.start("toggle", Self.options, interface: Obstacle.device)
        try ProgramState.keptDown.reach(program)
        try obstacle.arise(link)
        try eventually("it is said", detail: program.transcript) {
            program.standardError.contains("could not raise the link: \(obstacle.words)")
        }
        if goesAway { try obstacle.goAway(link) }
        let outcome = try program.outcome(within: .seconds(60))
        #expect(outcome.status == (goesAway ? 0 : 71), "\(outcome)")
        #expect(try link.isUp(Obstacle.device) == goesAway)
        if goesAway { return }
        #expect(outcome.words.contains("giving up; the guard continues to try"), "\(outcome)")
        try obstacle.goAway(link)
        try eventually("the guard raises it", within: .seconds(60)) { try link.isUp(Obstacle.device) }
        try eventually("and leaves nothing") {
            link.records.isEmpty && GuardProcesses.mentioning(link.runDirectory.path).isEmpty
        }
    }
}
