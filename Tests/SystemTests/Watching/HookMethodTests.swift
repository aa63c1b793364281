import Foundation
import Glibc
import Testing

/// The method hook: a program of the administrator.
@Suite("The method hook", .needsRoot)
struct HookMethodTests {
    private let link: VirtualLink

    init() throws { link = try VirtualLink() }

    private var removed: String { link.directory.appendingPathComponent("removed").path }
    private var permitted: String { link.directory.appendingPathComponent("permitted").path }
    private var done: String { link.directory.appendingPathComponent("done").path }

    /// Installs a hook that removes the interface, as if it unloaded the driver, and makes it again when that is
    /// permitted.
    private func installReplacing() throws -> String {
        try link.install(
            """
            PATH=/usr/sbin:/usr/bin:/sbin:/bin
            [ ! -e \(done) ] || exit 0
            ip link delete \(VirtualLink.near)
            touch \(removed)
            until [ -e \(permitted) ]; do sleep 0.1; done
            ip link add \(VirtualLink.near) type veth peer name other0
            ip link set other0 up
            ip address add \(VirtualLink.nearAddress)/24 dev \(VirtualLink.near)
            ip link set \(VirtualLink.near) up
            touch \(done)
            """, at: "heal")
    }

    private func awaitRemoval(_ program: Child) throws {
        try eventually("the hook has removed the interface", detail: program.transcript) {
            FileManager.default.fileExists(atPath: removed)
        }
    }

    /// A service whose hook has removed the interface.
    private func serviceWithoutInterface() throws -> Child {
        let hook = try installReplacing()
        let service = try link.start(
            "run", ["--interval", "1h", "--force", "--method", "hook:\(hook)", "--probe", "none"])
        try eventually("the interface is gone", detail: service.transcript) {
            service.standardError.contains("the interface is not there")
        }
        return service
    }

    @Test("a run of toggle follows an interface that its hook replaces, and recovers it")
    func replacingInToggle() throws {
        let hook = try installReplacing()
        let toggle = try link.start("toggle", ["--json", "--method", "hook:\(hook)", "--probe", "none"])
        try awaitRemoval(toggle)
        try shell("touch \(permitted)")
        let outcome = try toggle.outcome()
        #expect(outcome.status == 0, "\(outcome)")
        #expect(FileManager.default.fileExists(atPath: done), "the hook was not ended")
        let last = try #require(outcome.objects.last)
        #expect(last["methods"] as? [String] == ["hook"], "\(outcome)")
    }

    @Test("a run that is told to end waits for a hook that has removed the interface")
    func replacingInInterruptedToggle() throws {
        let hook = try installReplacing()
        let toggle = try link.start("toggle", ["--method", "hook:\(hook)", "--probe", "none"])
        try awaitRemoval(toggle)
        toggle.send(SIGTERM)
        try shell("touch \(permitted)")
        let outcome = try toggle.outcome()
        #expect(outcome.status == 2, "\(outcome)")
        #expect(FileManager.default.fileExists(atPath: done), "the hook was not ended")
    }

    @Test("a service that is told to end waits for a hook that has removed the interface")
    func replacingInEndingService() throws {
        let service = try serviceWithoutInterface()
        service.send(SIGTERM)
        try eventually("it is ending", detail: service.transcript) {
            service.standardError.contains("ending because of a signal")
        }
        try shell("touch \(permitted)")
        let outcome = try service.outcome()
        #expect(outcome.status == 0, "\(outcome)")
        #expect(FileManager.default.fileExists(atPath: done), "the hook was not ended")
    }

    @Test("a hook that removes the interface is not ended before it has brought the interface back")
    func removing() throws {
        let service = try serviceWithoutInterface()
        try shell("touch \(permitted)")
        try eventually("the hook has done its work", detail: service.transcript) {
            FileManager.default.fileExists(atPath: done)
        }
        try eventually("the service watches the interface again", detail: service.transcript) {
            service.standardError.contains("the interface is there")
        }
        try service.endService()
    }
}
