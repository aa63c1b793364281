import Model

@testable import Invocation

/// The configuration file of a test, and what it sets without options on the command line.
enum SampleFile {
    static let path = "test.conf"
    /// The addresses of the interface to which the file is applied.
    static let addresses = [MACAddress([2, 0, 0, 0, 0, 1])].compactMap(\.self)

    static func parse(_ text: String) throws(ConfigurationError) -> ConfigurationFile {
        try ConfigurationFile.parse(text, path: path)
    }

    /// The settings of an interface with this name and current address.
    static func settings(
        _ text: String, for name: String = "wlan0", mac: [UInt8] = [2, 0, 0, 0, 0, 1]
    ) throws -> Settings {
        let request = Request(command: .run, interfaces: [], commandLine: OptionLayer())
        let addresses = MACAddress(mac).map { [$0] } ?? []
        return request.settings(for: name, addresses: addresses, file: try parse(text))
    }
}
