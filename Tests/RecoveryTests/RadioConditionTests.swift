import Glibc
import Model
import TestSupport
import Testing

@testable import Recovery

@Suite("The condition of a radio") @MainActor
final class RadioConditionTests {
    private static let index = InterfaceIndex(rawValue: 7)
    private static let device = "devices/pci0000:00/0000:00:04.0"
    private static let accessPoint = AccessPoint(
        bssid: MACAddress([2, 0, 0, 0, 0, 0])!, ssid: SSID("lab".utf8), frequency: 2412)

    private let tree: SysfsTree
    /// The errors that the next scans get (0: the scan begins). All later scans get the last error.
    private var errors: [Int32] = [0]
    private var scans: [AccessPoint] = []

    init() throws {
        tree = try SysfsTree()
        try tree.device(Self.device, on: "pci", driver: "wifi")
        try tree.give("wlan0", index: 7, of: Self.device)
    }

    private func query() -> RadioConditionQuery {
        RadioConditionQuery(sysfs: tree.root, spacing: .milliseconds(1)) { [self] accessPoint, index, done in
            #expect(index == Self.index)
            scans.append(accessPoint)
            let code = errors.count > 1 ? errors.removeFirst() : errors[0]
            let kind = code == EBUSY ? Failure.Kind.busy : .other
            done(code == 0 ? .success(()) : .failure(Failure(kind: kind, code: code, description: "no")))
        }
    }

    private static func state(isAssociated: Bool = true, role: Wireless.Role = .station) -> KernelState {
        KernelState(
            link: Link(
                index: index, name: "wlan0", isUp: true, hasCarrier: isAssociated,
                operationalState: isAssociated ? .up : .down),
            wireless: Wireless(
                role: role, phy: 0,
                association: isAssociated
                    ? Association(
                        bssid: accessPoint.bssid, ssid: accessPoint.ssid, frequency: accessPoint.frequency,
                        station: StationInformation(signal: -50)) : nil),
            addresses: [
                InterfaceAddress(address: .v4(0x0a4d_0002), prefixLength: 24, reachesBeyondLink: true)
            ])
    }

    private func ask(_ query: RadioConditionQuery) async throws -> RadioCondition? {
        try await outcome { query.ask(Self.index, named: "wlan0", $0) }
    }

    @Test(
        "three refused scans with the same error are evidence of a fault of the radio",
        arguments: [
            (EIO, .inputOutput), (ENODEV, .noDevice), (EBADE, .badExchange), (EPROTO, .protocolError),
            (ETIMEDOUT, .timedOut), (ECOMM, .communication), (EREMOTEIO, .remote), (ESHUTDOWN, .shutDown),
            (ENOBUFS, .noBuffers), (EFAULT, .fault),
        ] as [(Int32, ScanRefusal)])
    func refuses(code: Int32, refusal: ScanRefusal) async throws {
        let query = query()
        query.note(Self.state())
        errors = [code]
        #expect(try await ask(query) == .refusesScans(refusal))
        #expect(scans == Array(repeating: Self.accessPoint, count: 3))
        // The next query needs only one scan to confirm the refusal.
        #expect(try await ask(query) == .refusesScans(refusal))
        #expect(scans.count == 4)
    }

    @Test("fewer than three refusals, different errors, and errors with other causes are no evidence")
    func noEvidence() async throws {
        for codes in [
            [0], [EBADE, 0], [EBADE, EBADE, 0], [EBADE, EIO, EBADE, EIO, 0], [ENETDOWN], [EPERM], [EINVAL],
            [EBADE, EBADE, EOPNOTSUPP],
        ] as [[Int32]] {
            let query = query()
            query.note(Self.state())
            errors = codes
            #expect(try await ask(query) == nil, "\(codes)")
        }
    }

    @Test("two queries about one interface at the same time are both answered")
    func together() async {
        let query = query()
        query.note(Self.state())
        errors = [EBADE, EBADE, 0]
        var answers: [RadioCondition?] = []
        for _ in 0..<2 { query.ask(Self.index, named: "wlan0") { answers.append($0) } }
        #expect(await eventually { answers.count == 2 })
        #expect(answers == [nil, nil])
    }

    @Test("the program's own time-out does not count as a refusal")
    func ownTimeout() async throws {
        let late = Failure(kind: .timedOut, code: ETIMEDOUT, description: "no answer")
        let query = RadioConditionQuery(sysfs: tree.root, spacing: .milliseconds(1)) { $2(.failure(late)) }
        query.note(Self.state())
        #expect(try await ask(query) == nil)
    }

    @Test(
        "EBUSY and EAGAIN are evidence in the third query, unless a scan has ended in the meantime",
        arguments: [(EBUSY, .busy), (EAGAIN, .tryAgain)] as [(Int32, ScanRefusal)])
    func busy(code: Int32, refusal: ScanRefusal) async throws {
        let query = query()
        query.note(Self.state())
        errors = [code]
        #expect(try await ask(query) == nil)
        #expect(try await ask(query) == nil)
        query.scanFinished(on: Self.index)
        for _ in 0..<2 { #expect(try await ask(query) == nil) }
        #expect(try await ask(query) == .refusesScans(refusal))
        #expect(scans.count == 5)
    }

    @Test("a check without a fault ends a streak of refusals")
    func healthyBetween() async throws {
        let query = query()
        query.note(Self.state())
        errors = [EBUSY]
        for _ in 0..<2 { _ = try await ask(query) }
        query.note(Self.state())
        #expect(try await ask(query) == nil)
    }

    @Test("no scan is requested of a station that was never without a fault, or has disappeared since")
    func unknown() async throws {
        let query = query()
        errors = [EBADE]
        query.note(Self.state(isAssociated: false))
        query.note(Self.state(role: .accessPoint))
        #expect(!query.knows(Self.index))
        #expect(try await ask(query) == nil)
        query.note(Self.state())
        #expect(query.knows(Self.index))
        query.removed(Self.index)
        #expect(try await ask(query) == nil)
        #expect(scans.isEmpty)
    }

    // MARK: Records of crashes

    private func record(_ name: String, of device: String) throws {
        try tree.write("", "devices/virtual/\(name)/uevent")
        try tree.link(device, from: "devices/virtual/\(name)/failing_device")
        try tree.link("devices/virtual/\(name)", from: "class/devcoredump/\(name)")
    }

    @Test("a record that the device crashed is evidence, and no scan is requested")
    func crashed() async throws {
        let query = query()
        query.note(Self.state())
        try record("devcd12", of: Self.device)
        #expect(try await ask(query) == .crashed)
        #expect(scans.isEmpty)
    }

    @Test("a crash record from before a check without a fault is no evidence")
    func crashedBefore() async throws {
        let query = query()
        try record("devcd1", of: Self.device)
        query.note(Self.state())
        #expect(try await ask(query) == nil)
        try record("devcd2", of: Self.device)
        #expect(try await ask(query) == .crashed)
    }

    // MARK: Links that the kernel sets down

    /// The state of the link after it was set down.
    private static var down: KernelState {
        var state = state()
        state.link.isUp = false
        return state
    }

    private static let start = Instant.boot + .seconds(100)
    /// After the announcement of an rfkill block would have arrived.
    private static let later = start + .seconds(3)

    /// A query about a station that was without a fault, until the kernel set its link down.
    private func closedQuery() -> RadioConditionQuery {
        let query = query()
        query.note(Self.state())
        query.closed(Self.index, at: Self.start)
        return query
    }

    @Test("a link that the kernel set down is closed two seconds later, until it is up again")
    func closed() {
        let query = closedQuery()
        let (up, down) = (Self.state().link, Self.down.link)
        #expect(!query.isClosed(down, at: Self.start + .seconds(2)), "an rfkill block may be announced yet")
        #expect(query.isClosed(down, at: Self.later) && !query.isClosed(up, at: Self.later))
        query.opened(Self.index)
        #expect(!query.isClosed(down, at: Self.later), "a program has set it up, and down again")
    }

    @Test("a link that the kernel set down is closed at once if a new crash is recorded")
    func closedAfterCrash() throws {
        try record("devcd1", of: Self.device)
        let query = closedQuery()
        #expect(!query.isClosed(Self.down.link, at: Self.start), "the radio has worked since this crash")
        try record("devcd2", of: Self.device)
        #expect(query.isClosed(Self.down.link, at: Self.start))
    }

    @Test("a link is not closed if an rfkill block was announced within two seconds, before or after it")
    func blocked() {
        let down = Self.down.link
        for distance in [Duration.zero, .seconds(2)] {
            let before = query()
            before.note(Self.state())
            before.blocked(at: Self.start)
            before.closed(Self.index, at: Self.start + distance)
            #expect(!before.isClosed(down, at: Self.later + distance))
            let after = closedQuery()
            after.blocked(at: Self.start + distance)
            #expect(!after.isClosed(down, at: Self.later))
        }
        let long = query()
        long.note(Self.state())
        long.blocked(at: Self.start)
        long.closed(Self.index, at: Self.later)
        long.blocked(at: Self.later + .seconds(3))
        #expect(long.isClosed(down, at: Self.later + .seconds(3)))
    }

    @Test("a link that a program set down, or may have set down, is not closed, whatever crash is recorded")
    func notClosed() throws {
        let query = query()
        let down = Self.down.link
        query.note(Self.state())
        try record("devcd1", of: Self.device)
        #expect(!query.isClosed(down, at: Self.later))
        query.closed(Self.index, at: Self.start)
        query.overran()
        #expect(!query.isClosed(down, at: Self.later))
        query.closed(Self.index, at: Self.start)
        query.removed(Self.index)
        #expect(!query.isClosed(down, at: Self.later))
    }

    @Test("a link is not closed if it was never without a fault, the radio was blocked, or it was a port")
    func otherCauses() {
        let query = query()
        query.closed(Self.index, at: Self.start)
        #expect(!query.isClosed(Self.down.link, at: Self.later), "it may never have had a network")
        query.note(Self.state())
        query.closed(Self.index, at: Self.start)
        var blocked = Self.down
        blocked.radio = .soft
        query.note(blocked)
        query.note(Self.down)
        #expect(!query.isClosed(Self.down.link, at: Self.later), "a block does the same")
        var port = Self.state()
        port.link.port = Port(master: Self.index, kind: .bond, traffic: .masters)
        query.note(port)
        query.closed(Self.index, at: Self.start)
        #expect(!query.isClosed(Self.down.link, at: Self.later), "it was taken out of a bond")
        query.note(Self.state())
        query.enslaved(Self.index)
        query.closed(Self.index, at: Self.start)
        #expect(!query.isClosed(Self.down.link, at: Self.later), "it was a port since the last check")
    }

    @Test("crash records of other devices, and files with other names, are no evidence")
    func otherRecords() async throws {
        let query = query()
        query.note(Self.state())
        try tree.device("devices/pci0000:00/0000:00:05.0", on: "pci", driver: "wifi")
        try record("devcd1", of: "devices/pci0000:00/0000:00:05.0")
        try record("devcd2", of: "devices/pci0000:00/nothing")
        for name in ["disabled", "devcd", "devcd1x", "devcd-1", "devcd12345678901", "xdevcd1"] {
            try record(name, of: Self.device)
        }
        try tree.write("", "class/devcoredump/devcd3")
        #expect(try await ask(query) == nil)
    }
}
