import Foundation
import Glibc
import Synchronization
import Testing

/// Two network namespaces and a virtual cable between them: `near0`, where the program runs, and `far0`,
/// which stands for the access point and the gateway. Everything is removed when the object is released.
final class VirtualLink {
    static let near = "near0"
    static let far = "far0"
    static let nearAddress = "10.77.0.2"
    static let farAddress = "10.77.0.1"
    static let farAddressIPv6 = "fd00:77::1"
    /// An unused address on the near side's network.
    static let absentAddress = "10.77.0.77"

    enum Gateway {
        /// A default route through the far end. Lowering the link loses it, unless `keepDefaultRoute()`
        /// restores it.
        case farEnd
        case none
    }

    let nearNamespace: String
    let farNamespace: String
    /// A directory for the program's files, which is removed with the link.
    let directory: URL
    private var helpers: [Listener] = []
    private let gateway: Gateway

    /// IPv6 addresses are usable as soon as they are there: no duplicate address detection.
    private static let atOnce = "net.ipv6.conf.all.accept_dad=0 net.ipv6.conf.default.accept_dad=0"

    private static let counter = Atomic<Int>(0)

    /// A link that carries packets both ways.
    init(gateway: Gateway = .farEnd) throws {
        Self.removeLeftovers
        let number = Self.counter.add(1, ordering: .relaxed).newValue
        let name = "\(Self.prefix)\(getpid())-\(number)"
        nearNamespace = name + "-near"
        farNamespace = name + "-far"
        directory = FileManager.default.temporaryDirectory.appendingPathComponent(name)
        self.gateway = gateway
        try FileManager.default.createDirectory(
            at: directory, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        try configure("")
        try shell("ip netns add \(nearNamespace)")
        try shell("ip netns add \(farNamespace)")
        try shell("ip netns exec \(nearNamespace) sysctl -q -w \(Self.atOnce)")
        try shell("ip netns exec \(farNamespace) sysctl -q -w \(Self.atOnce)")
        try makeCable()
    }

    deinit {
        helpers = []
        // A guard that is still waiting would keep the namespace alive.
        for process in GuardProcesses.mentioning(runDirectory.path) { kill(process, SIGKILL) }
        for namespace in [nearNamespace, farNamespace] { _ = try? shell("ip netns delete \(namespace)") }
        try? FileManager.default.removeItem(at: directory)
    }

    /// A configuration file, empty at first, so that the machine's own is not used.
    var configuration: URL { directory.appendingPathComponent("wifi-toggler.conf") }
    var runDirectory: URL { directory.appendingPathComponent("run") }

    /// Options that keep the program's files in the test's own directory.
    var files: [String] {
        [
            "--config", configuration.path, "--run-dir", runDirectory.path,
            "--state-dir", directory.appendingPathComponent("state").path,
        ]
    }

    func configure(_ text: String) throws { try Data(text.utf8).write(to: configuration) }

    /// Installs a shell script at a path below `directory`, and makes the directory that it is in.
    /// - Parameter script: the lines after the first one, `#!/bin/sh`.
    /// - Returns: the whole path.
    @discardableResult
    func install(_ script: String, at path: String, mode: mode_t = 0o755) throws -> String {
        let place = directory.appendingPathComponent(path)
        mkdir(place.deletingLastPathComponent().path, 0o755)
        let source = directory.appendingPathComponent("script")
        try Data("#!/bin/sh\n\(script)\n".utf8).write(to: source)
        // install(1) writes the file, not this process: a child of another test could inherit the open file
        // (ETXTBSY).
        try shell("install -m \(String(mode, radix: 8)) \(source.path) \(place.path)")
        return place.path
    }

    // MARK: Running

    /// Starts the program in the near namespace: the command, its options, then the interface.
    func start(
        _ command: String, _ options: [String] = [], interface: String? = near,
        environment: [String: String] = [:], prefix: [String] = []
    ) throws -> Child {
        try startPlain(
            command, ["--any-interface"] + options + [interface].compactMap(\.self), environment: environment,
            prefix: prefix)
    }

    /// Starts the program in the near namespace, with no options but those for its files.
    func startPlain(
        _ command: String, _ words: [String], environment: [String: String] = [:], prefix: [String] = []
    ) throws -> Child {
        try Child(
            ["ip", "netns", "exec", nearNamespace] + prefix + [Program.path, command] + files + words,
            environment: environment)
    }

    /// Runs the program to its end.
    func run(_ command: String, _ options: [String] = [], interface: String? = near) throws -> RunOutcome {
        try start(command, options, interface: interface).outcome()
    }

    /// The words of `hold`, which accepts fewer options for files than other commands.
    func holdCommand(_ words: [String]) -> [String] {
        ["ip", "netns", "exec", nearNamespace, Program.path, "hold", "--any-interface"]
            + ["--config", configuration.path, "--run-dir", runDirectory.path] + words
    }

    func runHold(_ words: [String]) throws -> RunOutcome { try Child(holdCommand(words)).outcome() }

    /// `ip` in the near namespace.
    @discardableResult
    func nearIP(_ arguments: String) throws -> String { try shell("ip -n \(nearNamespace) \(arguments)") }

    /// `ip` in the far namespace.
    @discardableResult
    func farIP(_ arguments: String) throws -> String { try shell("ip -n \(farNamespace) \(arguments)") }

    // MARK: The cable

    /// Makes the cable, or a second one after the first was removed, with the same names and new indexes.
    func makeCable() throws {
        try shell(
            "ip link add \(Self.near) netns \(nearNamespace) type veth"
                + " peer name \(Self.far) netns \(farNamespace)")
        try farIP("address add \(Self.farAddress)/24 dev \(Self.far)")
        try farIP("address add \(Self.farAddressIPv6)/64 dev \(Self.far) nodad")
        try farIP("link set \(Self.far) up")
        try nearIP("address add \(Self.nearAddress)/24 dev \(Self.near)")
        try nearIP("address add fd00:77::2/64 dev \(Self.near) nodad")
        try nearIP("link set \(Self.near) up")
        // The kernel drops what an end sends until that end is operational. It updates the operational state
        // in a work queue, which is late while other namespaces are removed.
        try eventually("both ends are operational") {
            try Self.isOperational(nearIP("-oneline link show dev \(Self.near)"))
                && Self.isOperational(farIP("-oneline link show dev \(Self.far)"))
        }
        if gateway == .farEnd { try nearIP("route add default via \(Self.farAddress) dev \(Self.near)") }
    }

    func removeCable() throws { try nearIP("link delete \(Self.near)") }

    /// Whether the near end is administratively up.
    var isUp: Bool {
        get throws { try flags.contains("UP") }
    }

    private static func isOperational(_ line: String) -> Bool {
        LinkTrace.flags(in: line[...])?.contains("LOWER_UP") == true && line.contains(" state UP ")
    }

    private var flags: [String] {
        get throws {
            let text = try nearIP("-oneline link show dev \(Self.near)")
            return LinkTrace.flags(in: text[...]) ?? []
        }
    }

    // MARK: Fault and cure

    /// Makes the far end silent, with the carrier still there. The near end's neighbour entries are removed
    /// as well, so that the test need not wait until earlier confirmations expire.
    func muteFarEnd() throws {
        try farIP("address flush dev \(Self.far)")
        try nearIP("neighbour flush dev \(Self.near)")
    }

    /// Lets a host answer once, so that it is a known target, and then removes it.
    func makeKnownTarget(answering probe: [String]) throws {
        try farIP("address add \(Self.absentAddress)/24 dev \(Self.far)")
        let outcome = try run("reconnect", probe)
        try #require(outcome.status == 0, "\(outcome)")
        try farIP("address delete \(Self.absentAddress)/24 dev \(Self.far)")
        try nearIP("neighbour flush dev \(Self.near)")
    }

    func cureFarEnd() throws { try farIP("address replace \(Self.farAddress)/24 dev \(Self.far)") }

    /// Like an access point that knows its station again after a new association: from now on the far end is
    /// cured each time the near end goes down and comes up. It follows the near end's administrative state,
    /// because the kernel may merge a short loss of the far end's carrier with its return.
    func cureFarEndByBounce() throws {
        let cure = "ip -n \(farNamespace) address replace \(Self.farAddress)/24 dev \(Self.far)"
        helpers.append(
            try Listener.hook(
                in: nearNamespace, on: Self.near,
                """
                *,UP,*|*,UP\\>*) [ -z "$lost" ] || \(cure); lost= ;;
                *) lost=yes ;;
                """))
    }

    /// Like a DHCP client: restores the default route whenever the link is up and has none. A route that a
    /// test has set stays, however late an announcement is read.
    func keepDefaultRoute() throws {
        let route = "default via \(Self.farAddress) dev \(Self.near)"
        helpers.append(
            try Listener.hook(
                in: nearNamespace, on: Self.near,
                "*,UP,LOWER_UP*) ip -n \(nearNamespace) route add \(route) 2>/dev/null || : ;;"))
    }

    // MARK: Leftovers

    private static let prefix = "wifi-toggler-"

    /// Removes the namespaces of killed test runs: their names have the ID of a process that does not exist
    /// any more.
    private static let removeLeftovers: Void = {
        for line in ((try? shell("ip netns list")) ?? "").split(separator: "\n") {
            let name = String(line.prefix { $0 != " " })
            let owner = name.dropFirst(prefix.count).prefix { $0.isNumber }
            guard name.hasPrefix(prefix), let process = pid_t(owner), kill(process, 0) != 0 else { continue }
            _ = try? shell("ip netns delete \(name)")
        }
    }()
}
