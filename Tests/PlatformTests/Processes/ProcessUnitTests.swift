import Glibc
import TestSupport
import Testing

@testable import Platform

@Suite("The systemd unit in which a process runs") struct ProcessUnitTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    /// Greater than any process ID (proc_sys_kernel(5), pid_max).
    private static let process: Int32 = 1 << 23

    @Test(
        "a process's unit is the first group below the system's slices that has a valid unit name",
        arguments: [
            ("0::/system.slice/wpa_supplicant.service", "wpa_supplicant.service"),
            (
                #"0::/system.slice/system-wpa_supplicant.slice/wpa_supplicant@wlx\x2d0.service"#,
                #"wpa_supplicant@wlx\x2d0.service"#
            ),
            ("0::/system.slice/system-ifup.slice/ifup@wlan0.service", "ifup@wlan0.service"),
            // Control groups of version 1, alone and together with version 2.
            ("4:memory:/a.service\n1:name=systemd:/system.slice/networking.service\n", "networking.service"),
            ("1:name=systemd:/system.slice/iwd.service\n0::/\n", "iwd.service"),
            // A service has made a group of its own below its unit's group.
            ("0::/system.slice/evil.service/wpa_supplicant.service", "evil.service"),
            ("0::/system.slice/evil.service/system.slice/iwd.service", "evil.service"),
        ])
    func service(text: String, name: String) {
        #expect(ProcessUnit.unit(inFile: Array(text.utf8)) == .service(name))
    }

    @Test(
        "a session, a container and an invalid unit name are no service",
        arguments: [
            "0::/", "0::/user.slice/user-0.slice/session-1.scope", "0::/system.slice",
            "0::/user.slice/user-0.slice/user@0.service/app.slice/wpa_supplicant.service",
            "0::/system.slice/docker-1.scope/system.slice/wpa_supplicant.service",
            "0::/machine.slice/a.service", "0::/../../system.slice/a.service", "0::system.slice/a.service",
            "0::/system.slice/../a.service", "0::/system.slice//a.service", "0::/system.slice/.service",
            "0::/system.slice/-a.service", "0::/system.slice/.a.service", "0::/system.slice/a b.service",
            "0::/system.slice/a;b.service", "0::/system.slice/ä.service",
            "0::/system.slice/a.service (deleted)",
            "0::/system.slice/\(String(repeating: "a", count: 250)).service", "0::/system.slice/a.socket",
        ])
    func none(text: String) {
        #expect(ProcessUnit.unit(inFile: Array(text.utf8)) == .noService)
    }

    @Test(
        "without a group of systemd in the file, the unit is unknown",
        arguments: ["", "\n", "0:", "0::", "::/system.slice/a.service", "9:memory:/system.slice/a.service"])
    func unknown(text: String) {
        let unit = ProcessUnit.unit(inFile: Array(text.utf8))
        #expect(unit == (text == "0::" ? .noService : .unknown))
    }

    @Test("a process that is hidden in /proc is found in its unit's list of processes")
    func hidden() throws {
        let find = { ProcessUnit(of: Self.process, root: scratch.path) }
        let slice = "sys/fs/cgroup/system.slice"
        try scratch.write("1\n\(Self.process)0\n", to: "\(slice)/a.service/cgroup.procs")
        #expect(find() == .unknown)
        try scratch.write(
            "7\n\(Self.process)\n", to: "\(slice)/system-ifup.slice/ifup@w.service/cgroup.procs")
        #expect(find() == .service("ifup@w.service"))
        try scratch.write("0::/system.slice/iwd.service\n", to: "proc/\(Self.process)/cgroup")
        #expect(find() == .service("iwd.service"), "its own file counts first")
    }

    @Test("the groups of this process are readable")
    func ours() {
        #expect(ProcessUnit(of: getpid()) != .unknown)
    }
}
