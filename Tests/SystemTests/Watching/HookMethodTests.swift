import Foundation
import Testing

/// The method hook: a program of the administrator.
@Suite("The method hook", .needsRoot)
struct HookMethodTests {
    private let link: VirtualLink

    init() throws { link = try VirtualLink() }

    @Test("a hook that removes the interface is not ended before it has brought the interface back")
    func removing() throws {
        let done = link.directory.appendingPathComponent("done").path
        // As if it loaded the driver anew.
        let hook = try link.install(
            """
            PATH=/usr/sbin:/usr/bin:/sbin:/bin
            [ ! -e \(done) ] || exit 0
            ip link delete \(VirtualLink.near)
            sleep 2
            ip link add \(VirtualLink.near) type veth peer name other0
            touch \(done)
            """, at: "heal")
        let service = try link.start(
            "run", ["--interval", "1h", "--force", "--method", "hook:\(hook)", "--probe", "none"])
        try eventually("the interface is gone", detail: service.transcript) {
            service.standardError.contains("the interface is not there")
        }
        try eventually("the hook has done its work", detail: service.transcript) {
            FileManager.default.fileExists(atPath: done)
        }
        try eventually("the service watches the interface again", detail: service.transcript) {
            service.standardError.contains("the interface is there")
        }
        try service.endService()
    }
}
