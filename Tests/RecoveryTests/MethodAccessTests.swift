import Foundation
import Glibc
import Model
import Testing

@testable import Recovery

/// Each test has a file tree of its own, with the process 42 and the files that the process sees below /sys
/// and /dev.
@Suite("Which methods a process is not permitted to use") struct MethodAccessTests {
    private static let ladder: [Model.Method] = [.owner, .bounce, .rfkill, .rebind, .reset, .reboot]
    private static let service = "Uid:\t7\t999\t999\t999\nGid:\t999\t999\t999\t999\nGroups:\t5 106 \n"
    private static let noCapabilities = "CapEff:\t0000000000001000\n"

    private let root = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)

    /// - Parameter places: the paths of files that the process sees, with their modes.
    private func forbidden(
        _ status: String, _ places: [String: Int], prepare: () throws -> Void = {}
    ) throws -> [ForbiddenMethods] {
        let process = root.appending(path: "proc/42")
        try FileManager.default.createDirectory(at: process, withIntermediateDirectories: true)
        for (place, mode) in places {
            let file = process.appending(path: "root\(place)")
            try makeFile(file)
            #expect(chmod(file.path, mode_t(mode)) == 0)
            // The file belongs to root, and to a group that the service is in.
            if geteuid() == 0 { #expect(chown(file.path, 0, 106) == 0) }
        }
        try Data(status.utf8).write(to: process.appending(path: "status"))
        try prepare()
        defer { try? FileManager.default.removeItem(at: root) }
        return MethodAccess(of: 42, root: root.path).forbidden(of: Self.ladder, on: "wlan0")
    }

    private static let uevent = "/sys/class/net/wlan0/device/uevent"

    @Test(
        "a service that is not root may not write to /sys, nor to a device that its groups may not write",
        .enabled(if: geteuid() == 0))
    func user() throws {
        let status = Self.service + Self.noCapabilities
        let found = try forbidden(status, [Self.uevent: 0o644, "/dev/rfkill": 0o644])
        #expect(
            found == [
                ForbiddenMethods(methods: [.rfkill], place: "/dev/rfkill", error: "Permission denied"),
                ForbiddenMethods(methods: [.rebind, .reset], place: "/sys", error: "Permission denied"),
            ])
        #expect(try forbidden(status, [Self.uevent: 0o644, "/dev/rfkill": 0o664]).map(\.place) == ["/sys"])
    }

    @Test(
        "no method is forbidden to root, nor to a service with CAP_DAC_OVERRIDE", .enabled(if: geteuid() == 0)
    )
    func asRoot() throws {
        let places = [Self.uevent: 0o644, "/dev/rfkill": 0o644]
        let root = "Uid:\t0\t0\t0\t0\nGid:\t0\t0\t0\t0\nGroups:\t \n" + Self.noCapabilities
        #expect(try forbidden(root, places).isEmpty)
        #expect(try forbidden(Self.service + "CapEff:\t0000000000000002\n", places).isEmpty)
    }

    @Test(
        "a reboot is forbidden if the system bus is hidden from the service or closed to it",
        .enabled(if: geteuid() == 0))
    func bus() throws {
        let bus = "/run/dbus/system_bus_socket"
        let hidden = ForbiddenMethods(
            methods: [.reboot], place: "/run/dbus", error: "No such file or directory")
        let make = { try makeFile(root.appending(path: bus)) }
        #expect(
            try forbidden(Self.service + Self.noCapabilities, ["/dev/null": 0o666], prepare: make) == [hidden]
        )
        #expect(try forbidden(Self.service + Self.noCapabilities, [bus: 0o666], prepare: make).isEmpty)
        let closed = try forbidden(Self.service + Self.noCapabilities, [bus: 0o600], prepare: make)
        #expect(closed.map(\.error) == ["Permission denied"])
        #expect(
            try forbidden(Self.service + Self.noCapabilities, ["/dev/null": 0o666]).isEmpty, "there is no bus"
        )
    }

    @Test(
        "if a systemd unit resets the device, only the method rebind is forbidden",
        .enabled(if: geteuid() == 0))
    func unit() throws {
        let status = Self.service + Self.noCapabilities
        let make = { (files: [String]) in { for file in files { try makeFile(root.appending(path: file)) } } }
        let unit = "/usr/lib/systemd/system/wifi-toggler-reset@.service"
        let needed = ["/run/systemd/system/any", "/sys/class/net/wlan0/phy80211/index", Self.uevent]
        let refused = { (found: [ForbiddenMethods]) in found.flatMap(\.methods) }
        #expect(
            refused(try forbidden(status, [Self.uevent: 0o644], prepare: make(needed))) == [.rebind, .reset])
        let write = { try Data("[Unit]".utf8).write(to: root.appending(path: unit)) }
        var needsUnit: Bool?
        let prepare = {
            try make(needed + [unit])()
            try write()
            needsUnit = MethodAccess(of: 42, root: root.path).needsResetUnit(for: "wlan0")
        }
        #expect(refused(try forbidden(status, [Self.uevent: 0o644], prepare: prepare)) == [.rebind])
        #expect(needsUnit == true)
        let rootStatus = "Uid:\t0\t0\t0\t0\nGid:\t0\t0\t0\t0\nGroups:\t \n" + Self.noCapabilities
        #expect(try forbidden(rootStatus, [Self.uevent: 0o644], prepare: prepare).isEmpty)
        #expect(needsUnit == false, "it may do that itself")
    }

    private func makeFile(_ file: URL) throws {
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        #expect(FileManager.default.createFile(atPath: file.path, contents: nil))
    }

    @Test("no method is reported as forbidden if the device or the process does not exist")
    func missing() throws {
        #expect(try forbidden(Self.service + Self.noCapabilities, [:]).isEmpty)
        #expect(MethodAccess(of: 41, root: root.path).forbidden(of: Self.ladder, on: "wlan0").isEmpty)
    }
}
