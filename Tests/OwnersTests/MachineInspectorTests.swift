import Foundation
import Glibc
import Model
import Platform
import TestSupport
import Testing

@testable import Doctor
@testable import Owners

@MainActor @Suite("Settings of the machine that affect its links")
struct MachineInspectorTests {
    private let machine: MachineTree
    init() throws { machine = try MachineTree() }

    private let wireless = KernelState(
        link: Link(
            index: InterfaceIndex(rawValue: 7), name: "wlan0", isUp: true, hasCarrier: true,
            operationalState: .up),
        wireless: Wireless(role: .station, phy: 0))

    private var facts: InterfaceFacts { facts(defaultRoutesOver: nil) }
    private func facts(defaultRoutesOver names: [String]?) -> InterfaceFacts {
        MachineInspector(root: machine.root).facts(of: wireless, defaultRoutesOver: names)
    }
    private var service: Int32? {
        MachineInspector(root: machine.root).service(socket: "control", runDirectory: "/run/ours")
    }
    private var whole: MachineFacts {
        MachineInspector(root: machine.root).machine(
            stateDirectory: "/var/lib/state", runDirectory: "/run/ours", service: service)
    }

    @Test("an empty file system yields no facts")
    func empty() {
        var expected = MachineFacts()
        // These facts are about the process that runs the test, not about the file system.
        (expected.mayChangeLinks, expected.mayPing) = (whole.mayChangeLinks, whole.mayPing)
        expected.mayOpenRawSockets = Capabilities.includeRawSockets
        #expect(whole == expected)
        #expect(facts.hasDefaultRoute == nil && facts.driver == nil && facts.autoconnectRetries == nil)
    }

    @Test("an interface has a default route if the kernel reports one over it")
    func defaultRoute() {
        #expect(facts(defaultRoutesOver: nil).hasDefaultRoute == nil)
        #expect(facts(defaultRoutesOver: ["eth0"]).hasDefaultRoute == false)
        #expect(facts(defaultRoutesOver: ["eth0", "wlan0"]).hasDefaultRoute == true)
    }

    @Test("usable default routes of IPv4 are found, others are not")
    func routes() throws {
        let title = "Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n"
        let onLink = "wlan0\t00004D0A\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0\n"
        let half = "wlan0\t00000000\t01004D0A\t0003\t0\t0\t0\t00000080\t0\t0\t0\n"
        try machine.write(title + onLink + half, to: "proc/net/route")
        #expect(whole.uplinks == [])
        let wired = "eth0\t00000000\t0100A8C0\t0003\t0\t0\t0\t00000000\t0\t0\t0\n"
        let ours = "wlan0\t00000000\t01004D0A\t0003\t0\t0\t600\t00000000\t0\t0\t0\n"
        try machine.write(title + wired + ours + ours, to: "proc/net/route")
        #expect(whole.uplinks == ["eth0", "wlan0"])
        let refusing = "wlan0\t00000000\t00000000\t0201\t0\t0\t0\t00000000\t0\t0\t0\n"
        try machine.write(title + onLink + refusing, to: "proc/net/route")
        #expect(whole.uplinks == [])
    }

    @Test(
        "the stricter value of rp_filter for `all` and for the interface counts",
        arguments: [
            ("0", "0", false), ("1", "0", true), ("0", "1", true), ("2", "1", false), ("1", "2", false),
        ])
    func reversePath(all: String, one: String, isStrict: Bool) throws {
        try machine.write("\nwlan0 00000000 01004D0A 0003 0 0 600 00000000 0 0 0\n", to: "proc/net/route")
        try machine.write(all + "\n", to: "proc/sys/net/ipv4/conf/all/rp_filter")
        try machine.write(one + "\n", to: "proc/sys/net/ipv4/conf/wlan0/rp_filter")
        #expect(whole.strictlyFiltered == (isStrict ? ["wlan0"] : []))
    }

    @Test(
        "driver and bus are read from a driver link that ends in bus/BUS/drivers/DRIVER, and from no other",
        arguments: [
            ("../../../../bus/sdio/drivers/brcmfmac", DriverName("brcmfmac", on: "sdio")),
            ("../../bus/platform/drivers/mac80211_hwsim", DriverName("mac80211_hwsim", on: "platform")),
            ("bus/pci/drivers/iwlwifi", DriverName("iwlwifi", on: "pci")),
            ("../drivers/brcmfmac", nil), ("../../bus/sdio/brcmfmac", nil),
            ("../bus/sdio/driver/brcmfmac", nil),
            ("brcmfmac", nil), ("/", nil),
        ] as [(String, DriverName?)])
    func driver(target: String, name: DriverName?) throws {
        try machine.link(target, from: "sys/class/net/wlan0/device/driver")
        #expect(facts.driver == name)
    }

    @Test(
        "an interface name that is empty, a dot or two dots, or has a slash, is not used as a path",
        arguments: ["", ".", "..", "../net/wlan0"])
    func driverOfPath(name: String) throws {
        try machine.link("../../../../bus/sdio/drivers/brcmfmac", from: "sys/class/net/wlan0/device/driver")
        try machine.link("../../../../bus/sdio/drivers/brcmfmac", from: "sys/class/net/device/driver")
        try machine.link("../../../../bus/sdio/drivers/brcmfmac", from: "sys/class/device/driver")
        #expect(SysfsDriver.name(ofInterface: name, root: machine.root) == nil)
    }

    @Test("networkd's link policy is read if networkd owns the link")
    func policy() throws {
        try machine.write(
            "ADMIN_STATE=configured\nACTIVATION_POLICY=always-up\n", to: "run/systemd/netif/links/7")
        #expect(facts.activationPolicy == nil)
        try machine.process(30, "systemd-network", executable: "/lib/systemd/systemd-networkd")
        #expect(facts.activationPolicy == "always-up")
    }

    @Test(
        "NetworkManager's number of tries is read from the active profile, or the last file that sets one")
    func retries() throws {
        try machine.write(
            "[device]\nmanaged=true\nconnection-uuid=1111-2222\n", to: "run/NetworkManager/devices/7")
        try machine.process(41, "NetworkManager")
        #expect(facts.autoconnectRetries == nil)
        try machine.write(
            "[main]\nautoconnect-retries-default=5\n", to: "usr/lib/NetworkManager/conf.d/30-tries.conf")
        #expect(facts.autoconnectRetries == 5)
        try machine.write("", to: "etc/NetworkManager/conf.d/30-tries.conf")
        #expect(facts.autoconnectRetries == nil, "a file of the same name hides it")
        try machine.write(
            "[main]\nautoconnect-retries-default=9\n", to: "etc/NetworkManager/NetworkManager.conf")
        try machine.write(
            "[main]\nautoconnect-retries-default=2\n", to: "etc/NetworkManager/conf.d/10-tries.conf")
        try machine.write(
            "[main]\nautoconnect-retries-default=7\n", to: "etc/NetworkManager/conf.d/20.conf.off")
        #expect(facts.autoconnectRetries == 2)
        let profiles = "etc/NetworkManager/system-connections"
        try machine.write(
            "[connection]\nuuid=3333\nautoconnect-retries=1\n", to: "\(profiles)/a.nmconnection")
        #expect(facts.autoconnectRetries == 2)
        try machine.write(
            "[connection]\nuuid=1111-2222\nautoconnect-retries=-1\n", to: "\(profiles)/b.nmconnection")
        #expect(facts.autoconnectRetries == 2, "its own word is that it has none")
        try machine.write(
            "[connection]\nuuid=1111-2222\nautoconnect-retries=3\n", to: "\(profiles)/b.nmconnection")
        #expect(facts.autoconnectRetries == 3)
    }

    @Test("saved rfkill blocks of systemd are read for Wi-Fi radios only")
    func storedBlocks() throws {
        let directory = "var/lib/systemd/rfkill"
        try machine.write("1\n", to: "\(directory)/pci-0000:00:14.0-usb-0:10:1.0:bluetooth")
        try machine.write("0\n", to: "\(directory)/pci-0000:02:00.0:wlan")
        #expect(whole.storedBlocks == [])
        try machine.write("1\n", to: "\(directory)/pci-0000:03:00.0:wlan")
        #expect(whole.storedBlocks == ["/\(directory)/pci-0000:03:00.0:wlan"])
    }

    @Test(
        "cron lines that set links down, and those that call this program, are found",
        arguments: [
            ("*/5 * * * * root /usr/sbin/ip link set dev wlan0 down; sleep 3; ip link set wlan0 up", .rival),
            ("@hourly root (/sbin/ifdown wlan0 && ifup wlan0)", .rival),
            ("0 4 * * * nmcli radio wifi off", .rival), ("0 4 * * * sh -c 'rfkill block wlan'", .rival),
            ("0 4 * * * rfkill block bluetooth; rfkill block 0", .rival),
            ("0 4 * * * rfkill block bluetooth all", .rival), ("0 4 * * * nmcli radio all off", .rival),
            ("0 4 * * * rfkill block bluetooth && sleep 5; rfkill unblock wlan", nil),
            ("0 4 * * * rfkill unblock wifi; rfkill list 0", nil), ("0 4 * * * nmcli radio wwan off", nil),
            ("0 4 * * * root systemctl restart NetworkManager.service", .rival),
            ("*/5 * * * * root /usr/local/sbin/wifi-toggler reconnect --quiet", .ours),
            ("@hourly root wifi-toggler status || wifi-toggler --quiet toggle wlan0", .ours),
            ("*/5 * * * * root /usr/local/sbin/wifi-toggler status --quiet && curl https://up.test", nil),
            ("0 2 * * * root wifi-toggler hold 2h", nil),
            ("0 4 * * * root systemctl restart wifi-toggler", nil),
            ("# 0 4 * * * nmcli radio wifi off", nil), ("  # ifdown wlan0", nil), ("", nil),
            ("0 4 * * * root ip link show; nmcli radio wifi", nil),
            ("0 4 * * * root systemctl restart nginx", nil), ("0 4 * * * root markdown ip link set", nil),
        ] as [(String, MachineFacts.CronLine.Kind?)])
    func cron(line: String, kind: MachineFacts.CronLine.Kind?) throws {
        try machine.write("SHELL=/bin/sh\n\n\(line)\n", to: "etc/cron.d/job")
        try machine.write("\(line)\n", to: "etc/cron.d/job.off")
        try machine.write("\(line)", to: "var/spool/cron/crontabs/root")
        let expected = kind.map { kind in
            [("/etc/cron.d/job", 3), ("/var/spool/cron/crontabs/root", 1)].map { file, number in
                MachineFacts.CronLine(file: file, number: number, kind: kind)
            }
        }
        #expect(whole.cron == expected ?? [])
    }

    @Test("running programs that set links down automatically, such as ifplugd, are found")
    func rivals() throws {
        try machine.process(9, "ifplugd", ["/usr/sbin/ifplugd", "-i", "eth0"])
        #expect(whole.rivals == [MachineFacts.Rival(name: "ifplugd", process: 9)])
    }

    @Test("this program's unit is missing, disabled, enabled or masked, and unknown without systemd")
    func unit() throws {
        try machine.write("", to: "usr/local/lib/systemd/system/wifi-toggler.service")
        #expect(whole.unit == nil)
        try machine.write("", to: "run/systemd/system/x")
        #expect(whole.unit == .disabled)
        let target = "/usr/local/lib/systemd/system/wifi-toggler.service"
        try machine.link(target, from: "etc/systemd/system/multi-user.target.wants/wifi-toggler.service")
        #expect(whole.unit == .enabled)
        try machine.link("/dev/null", from: "etc/systemd/system/wifi-toggler.service")
        #expect(whole.unit == .masked)
        try machine.remove("etc/systemd/system")
        try machine.remove("usr/local")
        #expect(whole.unit == .missing)
    }

    @Test(
        "an enabled instance counts as the service, an enabled timer as a timer, unless it is masked",
        arguments: [
            ("multi-user.target", "wifi-toggler@wlan0.service", .enabled),
            ("timers.target", "wifi-toggler-reconnect@wlan0.timer", .timer),
            ("multi-user.target", "wifi-toggler-reset@wlan0.service", .disabled),
            ("timers.target", "other@wlan0.timer", .disabled),
        ] as [(String, String, MachineFacts.Unit)])
    func instance(target: String, unit: String, state: MachineFacts.Unit) throws {
        try machine.write("", to: "run/systemd/system/x")
        try machine.write("", to: "usr/lib/systemd/system/wifi-toggler.service")
        try machine.link("/usr/lib/systemd/system/x", from: "etc/systemd/system/\(target).wants/\(unit)")
        #expect(whole.unit == state)
        try machine.link("/dev/null", from: "etc/systemd/system/wifi-toggler.service")
        #expect(whole.unit == (state == .disabled ? .masked : state))
        try machine.link("/dev/null", from: "etc/systemd/system/\(unit)")
        #expect(whole.unit == .masked)
    }

    @Test("an enabled timer does not hide that the service is enabled, too")
    func timerBesideService() throws {
        try machine.write("", to: "run/systemd/system/x")
        try machine.write("", to: "usr/lib/systemd/system/wifi-toggler.service")
        let wants = "etc/systemd/system/default.target.wants"
        for name in ["wifi-toggler.service", "wifi-toggler-reconnect@wlan0.timer"] {
            try machine.link("/usr/lib/systemd/system/x", from: "\(wants)/\(name)")
        }
        #expect(whole.unit == .enabled)
    }

    @Test(
        "the capabilities of the running service count, not those of the asking process",
        arguments: [("0000000000001000", false), ("0000000000003000", true), ("000001ffffffffff", true)])
    func rawSockets(effective: String, mayOpen: Bool) throws {
        try machine.process(300, "wifi-toggler", ["wifi-toggler", "doctor"])
        try machine.write(
            "CapEff:\t\(mayOpen ? "0000000000000000" : "0000000000003000")\n", to: "proc/300/status")
        try machine.process(301, "wifi-toggler", ["wifi-toggler", "run", "--announce"])
        try machine.write("Name:\twifi-toggler\nCapPrm:\t0\nCapEff:\t\(effective)\n", to: "proc/301/status")
        #expect(whole.mayOpenRawSockets == mayOpen)
    }

    @Test(
        "the capabilities and the groups of the running service decide whether it may send ICMP echoes",
        arguments: [
            ("0000000000001000", "990", "1\t0", false), ("0000000000003000", "990", "1\t0", true),
            ("0000000000001000", "990", "0\t2147483647", true),
            ("0000000000001000", "990", "900\t989", false),
            ("0000000000001000", "7 990", "900\t990", true),
        ])
    func echoes(effective: String, groups: String, range: String, mayPing: Bool) throws {
        try machine.process(301, "wifi-toggler", ["wifi-toggler", "run"])
        try machine.write(
            "Gid:\t5\t5\t5\t5\nGroups:\t\(groups) \nCapEff:\t\(effective)\n", to: "proc/301/status")
        try machine.write(range + "\n", to: "proc/sys/net/ipv4/ping_group_range")
        #expect(whole.mayPing == mayPing)
    }

    @Test(
        "if the service's capabilities are unreadable, those of the asking process count",
        arguments: ["", "CapEff:\tmuch\n"])
    func unreadableRights(status: String) throws {
        try machine.process(301, "wifi-toggler", ["wifi-toggler", "run"])
        try machine.write(status, to: "proc/301/status")
        #expect(whole.mayOpenRawSockets == Capabilities.includeRawSockets)
    }

    @Test(
        "a program with the service's name counts as the service only if root or this process's user runs it",
        .enabled(if: geteuid() == 0, "only root can give a file away"))
    func impostor() throws {
        try machine.process(300, "wifi-toggler", ["wifi-toggler", "run"])
        // The process of a system account does not count.
        chown("\(machine.root)/proc/300", 500, 500)
        #expect(service == nil)
        try machine.process(301, "wifi-toggler", ["wifi-toggler", "run"])
        #expect(service == 301)
    }

    @Test("the service runs if its control group has processes")
    func running() throws {
        let place = "sys/fs/cgroup/system.slice/wifi-toggler.service/cgroup.events"
        try machine.write("populated 0\n", to: place)
        #expect(!whole.isServiceRunning)
        try machine.write("populated 1\n", to: place)
        #expect(whole.isServiceRunning)
    }

    @Test("the service counts as running if a process of it is found, whatever has started it")
    func runningProcess() throws {
        try machine.process(301, "wifi-toggler", ["wifi-toggler", "reconnect"])
        #expect(!whole.isServiceRunning)
        try machine.process(302, "wifi-toggler", ["wifi-toggler", "run", "wlan0"])
        #expect(whole.isServiceRunning)
    }

    @Test("a clock that is behind the modification time of the program's file is recognised as wrong")
    func clock() throws {
        try machine.write("", to: "proc/self/exe")
        let file = "\(machine.root)/proc/self/exe"
        let date = Date(timeIntervalSinceNow: 100_000)
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: file)
        let behind = try #require(whole.clockBehind)
        #expect(behind > .seconds(99_000) && behind <= .seconds(100_001))
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSinceNow: -1000)], ofItemAtPath: file)
        #expect(whole.clockBehind == nil)
    }

    @Test("a state or run directory that is a symbolic link or a file is a problem, a missing one is not")
    func stateDirectory() throws {
        #expect(whole.directoryProblems == [])
        try machine.write("", to: "var/lib/state/wlan0.learned")
        #expect(whole.directoryProblems == [])
        let place = "\(machine.root)/var/lib/state"
        try machine.remove("var/lib/state")
        try machine.link("/tmp", from: "var/lib/state")
        #expect(whole.directoryProblems == ["\(place) is no directory, or a symbolic link"])
        try machine.remove("var/lib/state")
        try machine.write("", to: "var/lib/state")
        try machine.write("", to: "run/ours/wlan0.lock")
        #expect(whole.directoryProblems == ["\(place) is no directory, or a symbolic link"])
        try machine.remove("run/ours")
        try machine.link("/tmp", from: "run/ours")
        #expect(whole.directoryProblems.count == 2)
    }
}
