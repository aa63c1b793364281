/// Parses the name of a device on its bus. The parser is strict, because parts of the name become paths of
/// files that reset the device.
enum BusAddress {
    /// One function of a USB device, such as `1-1.4:1.0`.
    struct USB: Equatable {
        /// The name of the device, such as `1-1.4`.
        let device: String
        /// The name of the root hub, such as `usb1`.
        let rootHub: String
        /// The port to which the device is connected, as a path below the devices of the bus, such as
        /// `1-1:1.0/1-1-port4`.
        let port: String

        /// USB allows at most seven tiers, so there are at most six port numbers. The interface of a hub is
        /// always 1.0.
        init?(_ name: String) {
            let parts = BusAddress.parts(name, ":")
            guard parts.count == 2, let device = parts.first, let way = BusAddress.pair(device, "-"),
                let function = BusAddress.pair(parts[1], "."),
                BusAddress.isNumber(way.0, 1...999), BusAddress.isNumber(function.0, 1...255),
                BusAddress.isNumber(function.1, 0...255)
            else { return nil }
            var ports = BusAddress.parts(way.1, ".")
            guard ports.count <= 6, ports.allSatisfy({ BusAddress.isNumber($0, 1...255) }) else { return nil }
            self.device = device
            rootHub = "usb\(way.0)"
            let last = ports.removeLast()
            let hub = "\(way.0)-\(ports.joined(separator: "."))"
            port = ports.isEmpty ? "\(way.0)-0:1.0/\(rootHub)-port\(last)" : "\(hub):1.0/\(hub)-port\(last)"
        }
    }

    /// The bus of a PCI function: `0000:03` for `0000:03:00.0`.
    static func pciBus(_ name: String) -> String? {
        let parts = parts(name, ":")
        guard parts.count == 3, let function = pair(parts[2], "."), (4...8).contains(parts[0].utf8.count),
            isHexadecimal(parts[0]), isHexadecimal(parts[1], 2), isHexadecimal(function.0, 2),
            isNumber(function.1, 0...7)
        else { return nil }
        return "\(parts[0]):\(parts[1])"
    }

    /// The card of an SDIO function: `mmc1:0001` for `mmc1:0001:2`.
    static func sdioCard(_ name: String) -> String? {
        let (parts, host) = (parts(name, ":"), "mmc")
        guard parts.count == 3, parts[0].hasPrefix(host),
            isNumber(String(parts[0].dropFirst(host.count)), 0...999),
            isHexadecimal(parts[1], 4), isNumber(parts[2], 1...7)
        else { return nil }
        return "\(parts[0]):\(parts[1])"
    }

    private static func parts(_ text: String, _ separator: Character) -> [String] {
        text.split(separator: separator, omittingEmptySubsequences: false).map(String.init)
    }

    private static func pair(_ text: String, _ separator: Character) -> (String, String)? {
        let parts = parts(text, separator)
        return parts.count == 2 ? (parts[0], parts[1]) : nil
    }

    /// Whether the text is a decimal number in this range as the kernel writes it, without a sign or leading
    /// zeros.
    private static func isNumber(_ text: String, _ range: ClosedRange<Int>) -> Bool {
        Int(text).map { range.contains($0) && String($0) == text } ?? false
    }

    private static func isHexadecimal(_ text: String, _ length: Int? = nil) -> Bool {
        text.utf8.count == length ?? text.utf8.count
            && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}
