import Glibc
import Model
import Platform
import Testing

@testable import Recovery

@Suite("The failure to set an interface up") struct RaisingFailureTests {
    private let tree: SysfsTree
    init() throws { tree = try SysfsTree() }

    /// The index of lo, the only interface that surely exists.
    private static let loopback = InterfaceIndex(rawValue: 1)

    private func raising(_ kind: Failure.Kind, _ code: Int32) -> Failure {
        Failure(kind: kind, code: code, description: "refused").ofRaising(Self.loopback, sysfs: tree.root)
    }

    @Test("EBUSY is the driver's if no other interface of the radio is up")
    func busy() throws {
        #expect(raising(.busy, EBUSY).kind == .busy, "no radio")
        try tree.write("0", "class/net/lo/phy80211/index")
        #expect(raising(.busy, EBUSY).isOfDevice)
        try tree.write("0", "class/net/ap0/phy80211/index")
        try tree.write("0x1002", "class/net/ap0/flags")
        #expect(raising(.busy, EBUSY).isOfDevice, "ap0 is down")
        try tree.write("0x1003", "class/net/ap0/flags")
        #expect(raising(.busy, EBUSY).kind == .busy)
        try tree.write("1", "class/net/ap0/phy80211/index")
        #expect(raising(.busy, EBUSY).isOfDevice, "ap0 has another radio")
    }

    @Test("ENODEV of an interface that exists, and ENOBUFS that the kernel has answered, are the driver's")
    func others() {
        #expect(raising(.noSuchDevice, ENODEV).isOfDevice && raising(.lost, ENOBUFS).isOfDevice)
        #expect(!raising(.lost, 0).isOfDevice && !raising(.timedOut, ETIMEDOUT).isOfDevice)
        let gone = Failure(kind: .noSuchDevice, code: ENODEV, description: "gone")
        #expect(gone.ofRaising(InterfaceIndex(rawValue: 0x7fff_fff0)) == gone)
    }

    @Test("EPERM is the driver's if this process may set interfaces up, and EACCES never is")
    func notPermitted() {
        #expect(
            raising(.notPermitted, EPERM).isOfDevice == Capabilities.includeNetworkAdministration)
        #expect(raising(.notPermitted, EACCES).kind == .notPermitted)
    }
}
