import Model
import Testing

@testable import Probing

struct NeighbourAdvertisementTests {
    private func bytes(isRouter: Bool) -> [UInt8] {
        NeighbourAdvertisement(
            address: IPAddress("2001:db8::7")!, macAddress: MACAddress([2, 0, 0, 0, 1, 0])!,
            isRouter: isRouter
        ).bytes
    }

    @Test("the advertisement tells all nodes an address's hardware address, and overrides their entries")
    func advertisement() {
        #expect(
            bytes(isRouter: false) == [
                0x88, 0x00, 0x00, 0x00,  // neighbour advertisement, code 0, checksum (the kernel's)
                0x20, 0x00, 0x00, 0x00,  // override; neither router nor solicited
                0x20, 0x01, 0x0d, 0xb8, 0x00, 0x00, 0x00, 0x00,  // 2001:db8::
                0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x07,  // 7
                0x02, 0x01,  // target link-layer address, 8 bytes
                0x02, 0x00, 0x00, 0x00, 0x01, 0x00,
            ])
        #expect(NeighbourAdvertisement.receivers == IPAddress("ff02::1"))
    }

    @Test("an advertisement by a router has the router flag")
    func router() {
        #expect(bytes(isRouter: true)[4] == 0xa0)
        #expect(bytes(isRouter: true).dropFirst(5) == bytes(isRouter: false).dropFirst(5))
    }
}
