import Glibc
import Model
import TestSupport
import Testing

@testable import Owners

/// The files are as the programs of Debian 12 write them.
@MainActor @Suite("Detecting which programs manage an interface")
struct OwnerDetectorTests {
    private let machine: MachineTree
    init() throws { machine = try MachineTree() }

    private var ownership: Ownership { OwnerDetector(root: machine.root).ownership(of: "wlan0", index: 7) }
    private var network: [Owner] { ownership.network.owners }
    private var station: [Owner] { ownership.station.owners }

    private func networkManager(managed: String = "true") throws {
        try machine.write(
            """
            [device]
            managed=\(managed)
            perm-hw-addr-fake=92:7E:C3:B3:20:D3
            connection-uuid=11111111-2222-3333-4444-555555555555
            nm-owned=false
            route-metric-default-effective=600

            """, to: "run/NetworkManager/devices/7")
    }

    private func networkd(_ state: String = "configured") throws {
        try machine.write(
            """
            # This is private data. Do not parse.
            ADMIN_STATE=\(state)
            OPER_STATE=routable
            ACTIVATION_POLICY=up
            NETWORK_FILE=/etc/systemd/network/10-w.network

            """, to: "run/systemd/netif/links/7")
    }

    @Test("without any manager there is no owner, and if processes are hidden the owner is unknown")
    func nobody() throws {
        #expect(ownership == Ownership(station: Ownership.Part(), network: Ownership.Part()))
        try machine.remove("proc/1/comm")
        #expect(ownership == Ownership())
    }

    @Test("NetworkManager owns a device that its state file claims while its process runs")
    func networkManagerOwns() throws {
        try networkManager()
        #expect(network == [], "a file of a dead daemon")
        #expect(ownership.absent == [.networkManager])
        #expect(ownership.missing == [.networkManager, .supplicant, .iwd, .connman, .dhcpcd, .ifupdown])
        try machine.process(41, "NetworkManager")
        #expect(network == [.networkManager] && ownership.absent == [])
        #expect(
            ownership.network.claims.first?.evidence
                == "/run/NetworkManager/devices/7 says managed=true, process 41")
        #expect(OwnerDetector(root: machine.root).ownership(of: "wlan1", index: 8).network.owners == [])
        try networkManager(managed: "false")
        #expect(network == [])
    }

    @Test(
        "networkd owns a link that its state file claims while its process runs",
        arguments: [
            ("configured", true), ("configuring", true), ("failed", true), ("unmanaged", false),
            ("pending", false), ("initialized", false), ("", false),
        ])
    func networkdOwns(state: String, isOwner: Bool) throws {
        try networkd(state)
        #expect(network == [])
        try machine.process(30, "systemd-network", executable: "/usr/lib/systemd/systemd-networkd")
        #expect(network == (isOwner ? [.networkd] : []))
    }

    @Test("a process that merely has an owner's name is not an owner")
    func impostors() throws {
        try networkManager()
        try machine.process(41, "NetworkManager", executable: "/home/somebody/sh")
        #expect(network == [])
        try machine.process(42, "NetworkManager", namespace: "net:[4026532999]")
        #expect(network == [], "that of a container")
        try machine.process(43, "NetworkManager", executable: "/usr/sbin/NetworkManager (deleted)")
        #expect(network == [.networkManager], "after an update")
    }

    @Test("if processes are hidden, a systemd unit counts as running if its control group is populated")
    func units() throws {
        try machine.remove("proc/1/comm")
        try networkManager()
        let place = "sys/fs/cgroup/system.slice/NetworkManager.service/cgroup.events"
        try machine.write("populated 0\nfrozen 0\n", to: place)
        #expect(network == [] && !ownership.network.isComplete)
        try machine.write("populated 1\nfrozen 0\n", to: place)
        #expect(network == [.networkManager])
        #expect(ownership.network.claims.first?.evidence.hasSuffix("NetworkManager.service") ?? false)
    }

    @Test(
        "ConnMan owns all interfaces but those that its options and its file exclude",
        arguments: [
            (["-n"], nil, true), (["-n", "-I", "hwsim0,wlan*"], nil, false),
            (["-n", "-i", "eth0"], nil, false),
            (["--device=wlan0"], nil, true), (["--nodevice=eth0"], "eth", true), (["-n"], "eth, wl", false),
        ] as [([String], String?, Bool)])
    func connman(arguments: [String], ignored: String?, isOwner: Bool) throws {
        if let ignored {
            try machine.write(
                "[General]\nNetworkInterfaceBlacklist = \(ignored)\n", to: "etc/connman/main.conf")
        }
        #expect(network == [])
        try machine.process(46, "connmand", ["/usr/sbin/connmand"] + arguments)
        #expect(network == (isOwner ? [.connman] : []))
    }

    @Test("iwd owns the association, and owns the addresses if configured to")
    func iwd() throws {
        try machine.process(50, "iwd", executable: "/usr/libexec/iwd", ["/usr/libexec/iwd"])
        #expect(station == [.iwd] && network == [])
        try machine.write("[General]\n#EnableNetworkConfiguration=true\n", to: "etc/iwd/main.conf")
        #expect(network == [])
        try machine.write("[General]\nEnableNetworkConfiguration=false\n", to: "etc/iwd/main.conf")
        #expect(network == [])
        try machine.write("[Network]\nEnableNetworkConfiguration=true\n", to: "etc/iwd/main.conf")
        #expect(network == [])
        try machine.write("[General]\nEnableNetworkConfiguration=true\n", to: "etc/iwd/main.conf")
        #expect(network == [.iwd])
        try machine.remove("proc/50")
        #expect(ownership == Ownership(station: Ownership.Part(), network: Ownership.Part()))
        try machine.process(51, "iwd", executable: "/usr/libexec/iwd", ["/usr/libexec/iwd", "-I", "wlan0"])
        #expect(station == [] && network == [])
    }

    @Test("dhcpcd owns the interface of its pid file if that process is dhcpcd")
    func dhcpcd() throws {
        try machine.write("49\n", to: "run/dhcpcd/wlan0.pid")
        #expect(network == [])
        try machine.process(49, "sshd")
        #expect(network == [], "the number belongs to somebody else by now")
        try machine.process(48, "dhcpcd", ["dhcpcd: wlan0 [ip4] [ip6]"])
        try machine.write("48\n", to: "run/dhcpcd/wlan0.pid")
        #expect(network == [.dhcpcd])
    }

    @Test("dhcpcd without an interface owns all but those that its file denies")
    func dhcpcdOfAll() throws {
        try machine.process(48, "dhcpcd", ["dhcpcd: [manager] [ip4] [ip6]"])
        try machine.write("48\n", to: "run/dhcpcd/pid")
        #expect(network == [.dhcpcd])
        try machine.write("hostname\ndenyinterfaces eth0 wl*\n", to: "etc/dhcpcd.conf")
        #expect(network == [])
        try machine.write("allowinterfaces wlan0\n", to: "etc/dhcpcd.conf")
        #expect(network == [.dhcpcd])
        try machine.write("allowinterfaces eth0\n", to: "etc/dhcpcd.conf")
        #expect(network == [])
    }

    @Test(
        "dhclient owns the interfaces of its command line, and all if it has none",
        arguments: [
            (["-4", "-v", "-i", "-pf", "/run/dhclient.wlan0.pid", "-I", "-df", "/x", "wlan0"], true),
            (["-v", "-pf", "wlan0", "eth0"], false), (["-v"], true), (["-nw", "eth0", "wlan0"], true),
            (
                [
                    "-d", "-q", "-sf", "/usr/lib/NetworkManager/nm-dhcp-helper", "-pf",
                    "/run/NetworkManager/dhclient-wlan0.pid", "wlan0",
                ], false
            ),
        ])
    func dhclient(arguments: [String], isOwner: Bool) throws {
        try machine.process(64, "dhclient", ["/sbin/dhclient"] + arguments)
        #expect(network == (isOwner ? [.dhclient] : []))
    }

    @Test("udhcpc is recognised as an owner, also as a busybox applet")
    func udhcpc() throws {
        try machine.process(
            66, "busybox", executable: "/usr/bin/busybox", ["busybox", "udhcpc", "-b", "-i", "wlan0"])
        #expect(network == [.udhcpc])
        try machine.process(67, "busybox", executable: "/usr/bin/busybox", ["busybox", "sh", "-i", "wlan0"])
        try machine.remove("proc/66")
        #expect(network == [])
        try machine.process(
            68, "udhcpc", executable: "/usr/bin/busybox", ["udhcpc", "--interface=wlan0"])
        #expect(network == [.udhcpc])
    }

    @Test(
        "udhcpc is recognised if the executable of BusyBox has a longer name",
        arguments: [
            ("udhcpc", "/usr/bin/busybox.nosuid", ["udhcpc"], true),
            ("busybox", "/usr/bin/busybox.nosuid", ["busybox", "udhcpc"], true),
            ("busybox.nosuid", "/usr/bin/busybox.nosuid", ["busybox.nosuid", "udhcpc"], true),
            ("busybox.nosuid", "/usr/bin/busybox.nosuid", ["busybox.nosuid", "sh"], false),
            ("udhcpc", "/tmp/mybusybox", ["udhcpc"], false), ("busybox.x", "/tmp/x", ["x", "udhcpc"], false),
            ("dhclient", "/usr/bin/busybox.nosuid", ["dhclient"], false),
        ] as [(String, String, [String], Bool)])
    func splitBusyBox(name: String, executable: String, command: [String], isOwner: Bool) throws {
        try machine.process(66, name, executable: executable, command + ["-i", "wlan0"])
        #expect(network == (isOwner ? [.udhcpc] : []))
    }

    @Test("ifupdown with its DHCP client is one owner; ifupdown with NetworkManager is two")
    func ifupdown() throws {
        try machine.write("lo=lo\nwlan0=home\n", to: "run/network/ifstate")
        #expect(network == [.ifupdown] && !ownership.network.isDisputed)
        try machine.process(64, "dhclient", ["dhclient", "wlan0"])
        #expect(network == [.ifupdown, .dhclient] && !ownership.network.isDisputed)
        try networkManager()
        try machine.process(41, "NetworkManager")
        #expect(ownership.network.isDisputed)
    }

    @Test(
        "a DHCP client is absent if its pid file exists but names no process of this client",
        arguments: [
            ("dhclient.wlan0.pid", Owner.dhclient), ("udhcpc.wlan0.pid", .udhcpc),
            ("dhcpcd/wlan0.pid", .dhcpcd), ("dhcpcd/wlan0-4.pid", .dhcpcd), ("dhcpcd/pid", .dhcpcd),
        ])
    func absentClient(file: String, client: Owner) throws {
        #expect(ownership.absent == [])
        try machine.write("4194305\n", to: "run/\(file)")
        #expect(ownership.absent == [client] && ownership.missing.contains(client))
        #expect(!ownership.hasLost(client), "who started it is not known")
        var configured = ownership
        configured.network.isNeeded = false
        #expect(!configured.missing.contains(client), "its address is there")
        try machine.write("wlan0=wlan0\n", to: "run/network/ifstate")
        #expect(ownership.hasLost(client))
        try machine.process(4_194_305, "sshd")
        #expect(ownership.hasLost(client), "the number belongs to somebody else by now")
        try machine.remove("proc/4194305")
        try machine.process(
            4_194_305, client.rawValue, [client.rawValue] + (client == .udhcpc ? ["-i"] : []) + ["wlan0"])
        #expect(ownership.absent == [] && !ownership.hasLost(client) && Set(network) == [client, .ifupdown])
    }

    @Test(
        "a DHCP client's pid file is ignored if it has no process ID, or is another interface's",
        arguments: ["", "x", "-1", "0", "99999999999", "12 34", "wlan0"])
    func unreadableClient(text: String) throws {
        for file in ["dhclient.wlan0.pid", "udhcpc.wlan0.pid", "dhcpcd/wlan0.pid", "dhcpcd/pid"] {
            try machine.write("\(text)\n", to: "run/\(file)")
        }
        try machine.write("4194305\n", to: "run/dhclient.wlan1.pid")
        #expect(ownership.absent == [])
    }

    @Test("if processes are hidden, a DHCP client is absent only if no process has its ID")
    func hiddenClient() throws {
        try machine.remove("proc/1/comm")
        try machine.write("\(getpid())\n", to: "run/dhclient.wlan0.pid")
        #expect(ownership.absent == [])
        try machine.write("4194305\n", to: "run/dhclient.wlan0.pid")
        #expect(ownership.absent == [.dhclient])
    }

    @Test("dhcpcd is absent only if none of its files names a process of it")
    func remainingClient() throws {
        try machine.write("4194305\n", to: "run/dhcpcd/wlan0-6.pid")
        #expect(ownership.absent == [.dhcpcd])
        try machine.write("47\n", to: "run/dhcpcd/wlan0-4.pid")
        try machine.process(47, "dhcpcd", ["dhcpcd", "-4", "wlan0"])
        #expect(ownership.absent == [])
    }

    @Test("dhcpcd that leaves the interface alone is not missed")
    func deniedClient() throws {
        try machine.write("4194305\n", to: "run/dhcpcd/pid")
        try machine.write("denyinterfaces wl*\n", to: "etc/dhcpcd.conf")
        #expect(ownership.absent == [])
    }

    @Test("two managers of the same addresses are a conflict")
    func twoManagers() throws {
        try networkManager()
        try networkd()
        try machine.process(41, "NetworkManager")
        #expect(!ownership.network.isDisputed)
        try machine.process(30, "systemd-network", executable: "/lib/systemd/systemd-networkd")
        #expect(network == [.networkManager, .networkd] && ownership.network.isDisputed)
    }

    @Test("wpa_supplicant owns the interface that its command line or a listening control socket names")
    func supplicant() throws {
        try machine.process(61, "wpa_supplicant", ["/sbin/wpa_supplicant", "-c/etc/w.conf", "-iwlan1"])
        #expect(station == [])
        let descriptor = try machine.listen(at: "run/wpa_supplicant/wlan0")
        #expect(station == [.supplicant])
        #expect(ownership.station.claims.first?.evidence == "/run/wpa_supplicant/wlan0 listens")
        #expect(ownership.process(of: .supplicant) == nil, "that of another interface")
        try machine.process(60, "wpa_supplicant", ["/sbin/wpa_supplicant", "-u", "-s"])
        #expect(ownership.process(of: .supplicant) == 60)
        // The pid file names ifupdown's process, which a service may not see in /proc (ProtectProc= of
        // systemd.exec(5)).
        try machine.write("59\n", to: "run/wpa_supplicant.wlan0.pid")
        #expect(ownership.process(of: .supplicant) == 59)
        close(descriptor)
        #expect(station == [], "a socket that nobody listens at any more")
        try machine.process(62, "wpa_supplicant", ["/sbin/wpa_supplicant", "-B", "-i", "wlan0"])
        #expect(station == [.supplicant] && !ownership.station.isDisputed)
        #expect(ownership.process(of: .supplicant) == 62)
        try machine.process(63, "wpa_supplicant", ["/sbin/wpa_supplicant", "-B", "-iwlan0"])
        #expect(station == [.supplicant] && ownership.station.isDisputed, "the same program twice")
        try machine.process(50, "iwd", executable: "/usr/libexec/iwd", ["iwd"])
        #expect(station == [.supplicant, .iwd] && ownership.station.isDisputed)
    }

    @Test("the executable of wpa_supplicant may be wpad, which is also hostapd")
    func wpad() throws {
        let command = ["/usr/sbin/wpa_supplicant", "-B", "-i", "wlan0"]
        try machine.process(62, "wpa_supplicant", executable: "/usr/sbin/wpad", command)
        #expect(station == [.supplicant])
        #expect(ownership.process(of: .supplicant) == 62)
        try machine.remove("proc/62")
        try machine.process(63, "wpad", ["/usr/sbin/wpad", "-B", "-i", "wlan0"])
        #expect(station == [], "this is hostapd")
    }

    @Test("a network manager's wpa_supplicant needs no socket, and is no owner if the manager uses iwd")
    func supplicantByBus() throws {
        try machine.process(61, "wpa_supplicant", ["/sbin/wpa_supplicant", "-Dwired", "-ieth1"])
        try machine.process(62, "wpa_supplicant", ["/sbin/wpa_supplicant", "-u", "-s"])
        #expect(station == [])
        try networkManager()
        try machine.process(41, "NetworkManager")
        #expect(station == [.supplicant])
        #expect(ownership.process(of: .supplicant) == 62 && ownership.process(of: .networkManager) == 41)
        try machine.process(50, "iwd", executable: "/usr/libexec/iwd", ["iwd"])
        #expect(station == [.iwd])
    }

    @Test("NetworkManager's configuration tells whether it lets iwd associate the station")
    func delegatedToIwd() throws {
        let iwd = "[device]\nwifi.backend=iwd\n"
        let file = "etc/NetworkManager/NetworkManager.conf"
        try machine.write(iwd, to: file)
        #expect(!ownership.isDelegatedToIwd, "without NetworkManager")
        try networkManager()
        try machine.process(41, "NetworkManager")
        #expect(ownership.isDelegatedToIwd)
        for text in [
            "", "[main]\nwifi.backend=iwd\n", "[device-a]\nmatch-device=driver:b\nwifi.backend=iwd\n",
        ] {
            try machine.write(text, to: file)
            #expect(!ownership.isDelegatedToIwd, "\(text)")
        }
        try machine.write(iwd, to: "usr/lib/NetworkManager/conf.d/10-wifi.conf")
        #expect(ownership.isDelegatedToIwd, "of a package")
        try machine.write("", to: "run/NetworkManager/conf.d/10-wifi.conf")
        #expect(!ownership.isDelegatedToIwd, "a file of the same name hides it")
        try machine.write("[device-a]\nwifi.backend=iwd\n", to: "etc/NetworkManager/conf.d/50-wifi.conf")
        try machine.write("[device]\nwifi.backend=wpa_supplicant\n", to: file)
        #expect(ownership.isDelegatedToIwd, "of the administrator, read last")
        try machine.write(
            "[device]\nwifi.backend=wpa_supplicant\n", to: "etc/NetworkManager/conf.d/60-wifi.conf")
        #expect(!ownership.isDelegatedToIwd, "the last file counts")
        try machine.write(iwd, to: "etc/NetworkManager/conf.d/70-wifi.conf.disabled")
        #expect(!ownership.isDelegatedToIwd)
    }

    @Test("a wired interface has no scan owner, and a name with a slash has no owner")
    func noStation() throws {
        try machine.process(50, "iwd", executable: "/usr/libexec/iwd", ["iwd"])
        let search = OwnerDetector(root: machine.root)
        let wired = search.ownership(of: "wlan0", index: 7, isWireless: false)
        #expect(wired.station == Ownership.Part(isNeeded: false))
        #expect(wired.missing == [.connman, .dhcpcd, .ifupdown])
        for name in ["../wlan0", "", ".", "a/b"] {
            #expect(search.ownership(of: name, index: 7) == Ownership(), "\(name)")
        }
    }

    @Test(
        "malformed files of owners yield no owner",
        arguments: [
            "", "\n\n", "[device", "managed=true", "[device]\nmanaged", "[device]\n managed = maybe",
            "[device]\r\nmanaged=truer\r\n", "[device]\u{301}\nmanaged=true",
        ])
    func hostile(text: String) throws {
        try machine.process(41, "NetworkManager")
        try machine.write(text, to: "run/NetworkManager/devices/7")
        #expect(network == [])
        try machine.write("[device]\r\nmanaged=true\r\n", to: "run/NetworkManager/devices/7")
        #expect(network == [.networkManager], "a line ends with a byte, not with a character")
    }
}
