import Testing

@testable import Recovery

@Suite("The names of devices on their buses")
struct BusAddressTests {
    @Test(
        "a record with invalid device names, or with devices in a wrong order, gives no reset",
        arguments: [
            ["usb 1-1.4"], ["usb usb1"], ["usb 1-1.4:1.0:1"], ["usb 1-:1.0"], ["usb 1-1.:1.0"],
            ["usb 01-1:1.0"],
            ["usb 1-+1:1.0"], ["usb 1-1.4:1"], ["usb 1-256:1.0"], ["usb 1-1.1.1.1.1.1.1:1.0"],
            ["usb 1-..:1.0"],
            ["usb -1:1.0"], ["pci 0000:03:00"], ["pci 0000:03:00.8"], ["pci 0000:3:00.0"],
            ["pci 0000:0G:00.0"],
            ["pci 0000:0A:00.0"], ["pci 000:03:00.0"], ["pci 0000:..:00.0"], ["sdio mmc1:0001:0"],
            ["sdio mmc1:0001:8"], ["sdio mmc1:0001"], ["sdio mmc:0001:1"], ["sdio xmc1:0001:1"],
            ["virtio virtio1"], ["platform 3f300000.mmcnr"], [],
            // More than one device, of another card, or in another order than planned.
            ["usb 1-1:1.0", "usb 1-1:1.1"], ["pci 0000:03:00.0", "pci 0000:04:00.0"],
            ["sdio mmc1:0001:1", "sdio mmc2:0001:2"], ["sdio mmc1:0001:1", "sdio mmc1:0001:1"],
            ["sdio mmc1:0001:1", "platform a", "platform b"], ["sdio mmc1:0001:1", "usb 1-1:1.0"],
            ["sdio mmc1:0001:1", "platform a", "sdio mmc1:0001:2"],
        ])
    func hostileNames(devices: [String]) throws {
        let bindings = try devices.map { device in
            let words = device.split(separator: " ").map(String.init)
            return try #require(DriverBinding(bus: words[0], driver: "any", device: words[1]))
        }
        #expect(BusReset(bindings) == nil)
    }

    @Test(
        "device names as the kernel gives them are accepted",
        arguments: ["usb 12-1.14.2:1.11", "pci 10000:e1:1f.7", "sdio mmc0:aaaa:7"])
    func goodNames(device: String) throws {
        let words = device.split(separator: " ").map(String.init)
        let binding = try #require(DriverBinding(bus: words[0], driver: "any", device: words[1]))
        #expect(BusReset([binding]) != nil)
    }
}
