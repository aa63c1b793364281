import Foundation
import Glibc
import Model
import Netlink
import TestSupport
import Testing

@testable import Recovery

@MainActor @Suite("Taking links down and up again", .serialized, .timeLimit(.minutes(10)))
struct LinkControlTests {
    private static let device = "0000:03:00.0"
    private static let directory = "devices/pci0000:00/\(device)"
    /// No link of any machine has it.
    private static let index: Int32 = .max

    private let tree: SysfsTree
    private let control: LinkControl
    private let binding: DriverBinding

    init() throws {
        tree = try SysfsTree()
        try tree.device(Self.directory, on: "pci", driver: "iwlwifi")
        try tree.give("wlan0", index: Int(Self.index), of: Self.directory)
        var control = LinkControl(try NetlinkCommands(.callingThread))
        control.directory = tree.root + "/run"
        self.control = control
        let binding = DriverBinding(bus: "pci", driver: "iwlwifi", device: Self.device, sysfs: tree.root)
        self.binding = try #require(binding)
    }

    /// Makes the file a pipe, so that opening it for writing blocks until it is opened for reading.
    private func makeHang(_ file: String) throws {
        try tree.remove(file)
        try #require(mkfifo("\(tree.root)/\(file)", 0o600) == 0)
    }

    @Test("while the unbinding of a driver hangs, raising the link waits, and starts nothing on the device")
    func hungDriver() async throws {
        let unbind = "bus/pci/drivers/iwlwifi/unbind"
        try makeHang(unbind)
        let index = InterfaceIndex(rawValue: Self.index)
        var (isLowered, isRaised) = (false, false)
        var returned: [DriverBinding.Interface] = []
        control.lower(index, by: .driver(binding)) { _ in isLowered = true }
        control.raise(
            index, named: "wlan0", by: .driver(binding), returned: { returned.append($0) },
            { _ in isRaised = true })
        await runLoop(for: .milliseconds(200))
        #expect(!isLowered && returned.isEmpty)
        let reader = open("\(tree.root)/\(unbind)", O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        try #require(reader != -1)
        defer { close(reader) }
        #expect(await eventually { isLowered && isRaised })
        #expect(returned == [DriverBinding.Interface(index: Self.index, name: "wlan0")])
    }
}
