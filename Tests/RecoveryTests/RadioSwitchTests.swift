import CLinux
import Foundation
import Platform
import TestSupport
import Testing

@testable import Recovery

@Suite("The rfkill switch of a radio")
struct RadioSwitchTests {
    let scratch: Scratch

    /// A laptop's own switch, a Bluetooth radio, and two Wi-Fi radios (phy7 with two interfaces).
    init() throws {
        scratch = try Scratch()
        let switches = [
            (0, "ideapad_wlan", "wlan", nil), (1, "hci0", "bluetooth", "7"), (10, "phy8", "wlan", nil),
            (2, "phy7", "wlan", "7"),
        ]
        for (index, name, type, number) in switches {
            let directory = "class/rfkill/rfkill\(index)"
            try scratch.write("\(name)\n", to: directory + "/name")
            try scratch.write("\(type)\n", to: directory + "/type")
            try scratch.write("0\n", to: directory + "/soft")
            try scratch.write("0\n", to: directory + "/hard")
            if let number { try scratch.write("\(number)\n", to: directory + "/device/index") }
        }
        for (name, phy, flags) in [
            ("wlan0", "7", "0x1003"), ("mon0", "7", "0x1002"), ("wlan1", "8", "0x1003"),
        ] {
            try scratch.write("\(phy)\n", to: "class/net/\(name)/phy80211/index")
            try scratch.write("\(flags)\n", to: "class/net/\(name)/flags")
        }
        try scratch.write("0x1003\n", to: "class/net/eth0/flags")
        try scratch.write("", to: "device")
    }

    private var device: String { scratch.path + "/device" }

    private func find(_ phy: UInt32, _ interface: String) throws(RadioSwitch.Problem) -> RadioSwitch {
        try .find(ofPhy: phy, for: interface, device: device, sysfs: scratch.path)
    }

    private var written: [UInt8] { Array(FileManager.default.contents(atPath: device) ?? Data()) }

    @Test("a request to the device names one switch, by its number")
    func order() {
        #expect(RadioSwitch.order(0x105, isBlocked: true) == [5, 1, 0, 0, 1, 2, 1, 0])
        #expect(RadioSwitch.order(2, isBlocked: false) == [2, 0, 0, 0, 1, 2, 0, 0])
    }

    @Test("the radio's switch is found by the device number, else by name")
    func found() throws {
        #expect(try find(7, "wlan0").index == 2)
        #expect(try find(8, "wlan1").index == 10)
    }

    @Test("no switch is found for a radio that has none, or on a machine without /dev/rfkill")
    func none() throws {
        #expect(throws: RadioSwitch.Problem.none) { try find(9, "wlan9") }
        try FileManager.default.removeItem(atPath: device)
        #expect(throws: RadioSwitch.Problem.none) { try find(7, "wlan0") }
    }

    @Test("a radio that another program or the hardware has blocked is refused")
    func blocked() throws {
        try scratch.write("1\n", to: "class/rfkill/rfkill2/soft")
        #expect(throws: RadioSwitch.Problem.softBlocked) { try find(7, "wlan0") }
        try scratch.write("1\n", to: "class/rfkill/rfkill2/hard")
        #expect(throws: RadioSwitch.Problem.hardBlocked) { try find(7, "wlan0") }
    }

    @Test("a radio with another interface that is up is refused")
    func shared() throws {
        try scratch.write("0x1003\n", to: "class/net/mon0/flags")
        #expect(throws: RadioSwitch.Problem.shared(with: "mon0")) { try find(7, "wlan0") }
    }

    @Test("the switch is set, unless it is already in the wanted state")
    func turned() throws {
        let found = try find(7, "wlan0")
        try found.set(isBlocked: false)
        #expect(written.isEmpty)
        try found.set(isBlocked: true)
        #expect(written == [2, 0, 0, 0, 1, 2, 1, 0])
        try scratch.write("1\n", to: "class/rfkill/rfkill2/soft")
        #expect(found.isSoftBlocked)
        try found.set(isBlocked: true)
        try found.set(isBlocked: false)
        #expect(written == [2, 0, 0, 0, 1, 2, 0, 0])
    }

    @Test(
        "a device opened with privilege can set the switch after the privilege is given up",
        .enabled(if: geteuid() == 0))
    func opened() throws {
        let found = try find(7, "wlan0")
        let opened = found.opened()
        #expect(chmod(device, 0) == 0)
        // Any user may read files in /sys.
        #expect(chmod(scratch.path, 0o755) == 0)
        withRightsOfNobody {
            #expect(throws: RadioSwitch.Problem.refused(SystemError(call: "open", code: EACCES))) {
                try found.set(isBlocked: true)
            }
            #expect(throws: Never.self) { try opened.set(isBlocked: true) }
        }
        #expect(written == [2, 0, 0, 0, 1, 2, 1, 0])
    }

    @Test("a switch that is gone counts as missing, and a device that cannot be opened gives the error")
    func gone() throws {
        let found = try find(7, "wlan0")
        try FileManager.default.removeItem(atPath: device)
        #expect(throws: RadioSwitch.Problem.none) { try found.set(isBlocked: true) }
        try FileManager.default.createDirectory(atPath: device, withIntermediateDirectories: false)
        #expect(throws: RadioSwitch.Problem.refused(SystemError(call: "open", code: EISDIR))) {
            try found.set(isBlocked: true)
        }
        try FileManager.default.removeItem(atPath: scratch.path + "/class/rfkill/rfkill2")
        #expect(throws: RadioSwitch.Problem.none) { try found.set(isBlocked: true) }
    }
}

/// Runs a body in which the calling thread has the rights over files of `nobody` (setfsuid(2)).
func withRightsOfNobody(_ body: () -> Void) {
    _ = setfsuid(65534)
    defer { _ = setfsuid(geteuid()) }
    body()
}
