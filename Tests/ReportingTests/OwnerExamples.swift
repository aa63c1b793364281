import Glibc
import Model
import Owners
import TestSupport

@testable import Reporting

/// The evidence by which owners of an interface are recognised.
@MainActor enum OwnerExamples {
    static func evidence() throws -> [String] {
        let machine = try MachineTree()
        let files = [
            "run/NetworkManager/devices/7": "[device]\nmanaged=true\n",
            "run/systemd/netif/links/7": "ADMIN_STATE=configured\n",
            "run/network/ifstate": "wlan0=wlan0\n", "run/dhcpcd/wlan0.pid": "45\n",
            "etc/iwd/main.conf": "[General]\nEnableNetworkConfiguration=true\n",
        ]
        for (path, text) in files { try machine.write(text, to: path) }
        try machine.process(41, "NetworkManager")
        try machine.process(42, "systemd-network", executable: "/usr/lib/systemd/systemd-networkd")
        try machine.process(43, "connmand")
        try machine.process(44, "iwd")
        try machine.process(45, "dhcpcd")
        try machine.process(46, "dhclient", ["dhclient", "wlan0"])
        try machine.process(47, "udhcpc", ["udhcpc", "-i", "wlan0"])
        try machine.process(48, "wpa_supplicant", ["wpa_supplicant", "-u"])
        var lines = told(machine)
        // Without iwd, wpa_supplicant associates for the managers, which control it by D-Bus.
        try machine.remove("proc/44")
        lines += told(machine)
        try machine.process(49, "wpa_supplicant", ["wpa_supplicant", "-i", "wlan0"])
        lines += told(machine)
        for number in [48, 49] { try machine.remove("proc/\(number)") }
        let socket = try machine.listen(at: "run/wpa_supplicant/wlan0")
        defer { close(socket) }
        lines += told(machine)
        // Now the processes of other users are hidden.
        try machine.remove("proc/1/comm")
        for number in 41...47 where number != 44 { try machine.remove("proc/\(number)") }
        try machine.write(
            "populated 1\n", to: "sys/fs/cgroup/system.slice/NetworkManager.service/cgroup.events")
        lines += told(machine)
        var seen: Set<String> = []
        return lines.filter { seen.insert($0).inserted }
    }

    private static func told(_ machine: MachineTree) -> [String] {
        let ownership = OwnerDetector(root: machine.root).ownership(of: "wlan0", index: 7)
        return [ownership.station, ownership.network].flatMap { $0.json.texts("evidence") }
            .map { $0.replacing(machine.root, with: "") }
    }
}
