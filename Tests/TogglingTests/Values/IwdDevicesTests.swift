import Model
import Testing

@Suite("Whether iwd has devices") struct IwdDevicesTests {
    private static let manager = #""/net/connman/iwd" 1 "net.connman.iwd.AgentManager" 0"#
    private static let adapter =
        #""/net/connman/iwd/0" 2 "net.connman.iwd.Adapter" 4 "Powered" b true "Name" s "phy0" "Model" s "a\"b" "#
        + #""SupportedModes" as 3 "ad-hoc" "station" "ap" "org.freedesktop.DBus.Properties" 0"#
    private static let device =
        #""/net/connman/iwd/0/3" 1 "net.connman.iwd.Device" 5 "Name" s "wlan0" "Address" s "02:00:00:00:01:00" "#
        + #""Powered" b true "Adapter" o "/net/connman/iwd/0" "Mode" s "station""#

    private static func answer(_ objects: String...) -> [UInt8] {
        Array("a{oa{sa{sv}}} \(objects.count) \(objects.joined(separator: " "))\n".utf8)
    }

    @Test("only a complete list without a device shows that iwd has lost its devices")
    func lost() {
        #expect(IwdDevices.areLost(Self.answer(Self.manager)))
        #expect(IwdDevices.areLost(Self.answer(Self.adapter, Self.manager)))
        #expect(!IwdDevices.areLost(Self.answer(Self.manager, Self.adapter, Self.device)))
        #expect(!IwdDevices.areLost(Self.answer()))
        #expect(!IwdDevices.areLost(Self.answer(Self.adapter)))
    }

    @Test("a cut or otherwise malformed answer shows nothing")
    func malformed() {
        let whole = Self.answer(Self.manager, Self.adapter)
        for length in 0..<(whole.count - 1) { #expect(!IwdDevices.areLost(Array(whole.prefix(length)))) }
        #expect(!IwdDevices.areLost(whole + Array("0".utf8)))
        #expect(!IwdDevices.areLost(whole + [0xFF]))
        let unknown = Self.adapter.replacing(#"s "phy0""#, with: #"h 3"#)
        #expect(!IwdDevices.areLost(Self.answer(Self.manager, unknown)))
        let nested = Self.adapter.replacing("\"Powered\" b true", with: "\"Powered\" v b true")
        #expect(!IwdDevices.areLost(Self.answer(Self.manager, nested)))
        let repeated = Self.adapter.replacing("\"Name\"", with: "\"Powered\"")
        #expect(!IwdDevices.areLost(Self.answer(Self.manager, repeated)))
        let huge = Self.answer(Self.manager).map { $0 == UInt8(ascii: "1") ? UInt8(ascii: "9") : $0 }
        #expect(!IwdDevices.areLost(huge))
    }
}
