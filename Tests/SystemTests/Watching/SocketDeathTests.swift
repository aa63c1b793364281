import CLinux
import CNetlink
import Glibc
import Model
import Testing

@testable import Netlink

/// A netlink socket dies while the program uses it: its descriptor becomes another file or socket.
@Suite(
    "A netlink socket that dies", .enabled(if: NetlinkLaboratory.isPossible, NetlinkLaboratory.requirement))
@MainActor
struct SocketDeathTests {
    /// As after a fault elsewhere in the process, the descriptor is replaced. Its number stays in use, so
    /// that no other test's file gets it.
    enum Death: CaseIterable {
        case replacedByFile, replacedBySocket, replacedByNetlink

        func happen(to descriptor: Int32) throws {
            let other =
                switch self {
                case .replacedByFile: open("/dev/null", O_RDONLY | O_CLOEXEC)
                case .replacedBySocket: socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
                case .replacedByNetlink: socket(AF_NETLINK, Int32(SOCK_RAW.rawValue), NETLINK_ROUTE)
                }
            try #require(other >= 0 && dup2(other, descriptor) == descriptor)
            close(other)
        }
    }

    @Test("requests after the death of their sockets use new sockets", arguments: Death.allCases)
    func commands(_ death: Death) async throws {
        let laboratory = try NetlinkLaboratory()
        defer { laboratory.remove() }
        let route = try laboratory.inside { try ReopenedSocket(NETLINK_ROUTE) }
        let generic = try laboratory.inside { try ReopenedSocket(NETLINK_GENERIC) }
        let commands = NetlinkCommands(
            .callingThread, route: Transport(route), generic: Transport(generic),
            requestTimeout: .seconds(5))
        let link = try await answer { commands.link(named: "near", $0) }
        let dead = [route, generic].compactMap { $0.current?.descriptor }
        for descriptor in dead { try death.happen(to: descriptor) }
        let found = try await answer { done in
            try? laboratory.inside { commands.identify("near", done) }
        }
        #expect(found.link == link)
        #expect(found.wireless == nil)
        try await answer { done in
            commands.setAdministrativeState(up: true, of: link.index, timeout: .seconds(5), done)
        }
        #expect(try await answer { commands.link(link.index, $0) }.isUp)
        // The program has not closed these descriptors, which belong to other files now.
        for descriptor in dead {
            #expect(fcntl(descriptor, F_GETFD) >= 0)
            close(descriptor)
        }
    }

    @Test(
        "a monitor whose dead sockets are found by a check reports an overrun, and receives again",
        arguments: Death.allCases
    )
    func monitor(_ death: Death) async throws {
        let laboratory = try NetlinkLaboratory()
        defer { laboratory.remove() }
        let topics: NetlinkMonitor.Topics = [.links, .addresses, .routes, .neighbours, .wireless]
        let listener = try laboratory.inside { try NetlinkListener(topics) }
        let monitor = try #require(listener.monitor)
        monitor.check()
        #expect(!listener.heard.contains(.overran), "nothing was wrong yet")
        let dead = monitor.listeners.map(\.socket.descriptor)
        for descriptor in dead { try death.happen(to: descriptor) }
        try laboratory.nearIP("link set near up")
        try laboratory.inside { monitor.check() }
        #expect(listener.heard.filter { $0 == .overran }.count == 1)
        try laboratory.nearIP("link set near down")
        let hears = await listener.hears {
            if case .linkChanged(let link) = $0 { link.name == "near" && !link.isUp } else { false }
        }
        #expect(hears, "\(listener.heard)")
        for descriptor in dead {
            #expect(fcntl(descriptor, F_GETFD) >= 0)
            close(descriptor)
        }
    }

    @Test("after a check by the handler itself, nothing more comes from the old socket")
    func checkByHandler() async throws {
        let laboratory = try NetlinkLaboratory()
        defer { laboratory.remove() }
        let listener = try laboratory.inside { try NetlinkListener(.links) }
        let monitor = try #require(listener.monitor)
        // All on this thread, so that nobody reads meanwhile.
        try laboratory.nearIP("link set near up")
        try laboratory.nearIP("link set near down")
        for listener in monitor.listeners {
            var group = Int32(RTNLGRP_LINK.rawValue)
            let size = socklen_t(MemoryLayout<Int32>.size)
            let socket = listener.socket.descriptor
            #expect(setsockopt(socket, SOL_NETLINK, NETLINK_DROP_MEMBERSHIP, &group, size) == 0)
        }
        listener.handler = { _ = try? laboratory.inside { monitor.check() } }
        let overran = await listener.hears { $0 == .overran }
        // The first announcement, and the overrun.
        #expect(overran && listener.heard.count == 2, "\(listener.heard)")
        try laboratory.nearIP("link del near")
        let isHeard = await listener.hears {
            if case .linkRemoved = $0 { true } else { false }
        }
        #expect(isHeard, "\(listener.heard)")
    }
}

/// The running service: the test tampers with its sockets from outside (pidfd_getfd(2)).
@Suite("A service whose netlink sockets fail", .needsRoot)
struct MonitorFailureTests {
    private static let options = ["--verbose", "--interval", "300ms", "--probe", "none"]

    @Test("a check notices lost announcements, the monitor is reopened, and the missed changes are read")
    func reopens() throws {
        let link = try VirtualLink()
        let program = try link.start("run", Self.options)
        try ProgramState.waiting.reach(program)
        try ForeignSockets.leaveLinkGroup(of: program.processIdentifier)
        try link.nearIP("link set \(VirtualLink.near) name fresh0")
        try eventually("the missed change is found", detail: program.transcript) {
            program.standardError.contains("\(VirtualLink.near): is called fresh0 now")
        }
        try link.nearIP("link set fresh0 name fresh1")
        try eventually("changes are announced to it again", detail: program.transcript) {
            program.standardError.contains("fresh0: is called fresh1 now")
        }
        program.send(SIGTERM)
        let outcome = try program.outcome()
        #expect(outcome.status == 0, "\(outcome)")
    }

    @Test("if no socket can be opened, the service ends with 71, the reason, and the link up")
    func ends() throws {
        let link = try VirtualLink()
        let program = try link.start("run", Self.options + ["--force", "--delay", "100ms", "--settle", "0"])
        // The service has bounced twice before the limit. Its timers need no descriptors, so checks still
        // come.
        try eventually("the clock has rung once", detail: program.transcript) {
            program.standardError.components(separatedBy: "keeping down → raising").count > 2
        }
        try shell("prlimit --pid \(program.processIdentifier) --nofile=0:0")
        try ForeignSockets.leaveLinkGroup(of: program.processIdentifier)
        let outcome = try program.outcome()
        #expect(outcome.status == 71, "\(outcome)")
        #expect(outcome.standardError.contains("Too many open files"), "\(outcome)")
        #expect(try link.isUp)
    }
}
