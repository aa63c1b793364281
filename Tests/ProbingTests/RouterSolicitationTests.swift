import Model
import Testing

@testable import Probing

struct RouterSolicitationTests {
    @Test("the solicitation goes to all routers, and has the sender's hardware address")
    func solicitation() {
        #expect(
            RouterSolicitation(macAddress: MACAddress([2, 0, 0, 0, 1, 0])!).bytes == [
                0x85, 0x00, 0x00, 0x00,  // router solicitation, code 0, checksum (the kernel's)
                0x00, 0x00, 0x00, 0x00,  // reserved
                0x01, 0x01,  // source link-layer address, 8 bytes
                0x02, 0x00, 0x00, 0x00, 0x01, 0x00,
            ])
        #expect(RouterSolicitation.receivers == IPAddress("ff02::2"))
    }
}
