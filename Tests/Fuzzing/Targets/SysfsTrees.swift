import Glibc

@testable import Platform
@testable import Recovery

/// The tree of sysfs in which the driver and the bus of a device are found, and whose files a rebind or a reset
/// writes. The first byte chooses a device on USB, PCI or SDIO. The other bytes change its tree: they remove files
/// and links, replace them, and add new ones. Whatever the tree is then, only files below its directories
/// `devices` and `bus` may be written.
enum SysfsTrees {
    private enum Entry {
        case file(String)
        /// A link to a path below the root of the tree.
        case link(String)
    }
    private typealias Tree = [(path: String, entry: Entry)]

    private static let interface = "wlan0"
    private static let root = ScratchDirectory.shared.path + "/sys"
    private static let outside = ScratchDirectory.shared.path + "/outside"
    /// The files that a rebind or a reset writes, with contents with which they are due.
    private static let written = [
        "bind": "", "unbind": "", "authorized": "1\n", "disable": "0\n", "reset": "", "remove": "",
        "rescan": "",
    ]
    /// A directory of the tree in which nothing may be written, either.
    private static let forbidden = root + "/class/forbidden"

    static func take(_ bytes: [UInt8]) {
        guard let choice = bytes.first else { return }
        remove(root)
        let tree = [usb, pci, sdio][Int(choice) % 3]
        for (path, entry) in tree { make(entry, at: path) }
        makeUntouched()
        change(tree.map(\.path), bytes.dropFirst())
        // The changes themselves may have followed links to these directories.
        makeUntouched()
        use()
    }

    /// Checks the files outside of the directories that may be written. Call it after each step: the next step may
    /// write the old content again.
    private static func demandUntouched() {
        for directory in [outside, forbidden] {
            for (name, content) in written {
                let path = "\(directory)/\(name)"
                demand((try? SmallFile.text(path)) == content, "\(path) was written")
            }
        }
    }

    private static func makeUntouched() {
        for directory in [outside, forbidden] {
            remove(directory)
            for (name, content) in written { write(Array(content.utf8), to: "\(directory)/\(name)") }
        }
    }

    /// Looks for the device as the program does, and writes the files of its rebind and its reset.
    private static func use() {
        let records = DeviceCoredumps(sysfs: root).names(of: interface)
        demand(records.allSatisfy { $0.hasPrefix("devcd") && !$0.contains("/") }, "no record: \(records)")
        if let reset = try? BusReset.of(interface, sysfs: root) {
            demandNames(of: reset.bindings)
            demand(BusReset(reset.bindings) != nil, "a reset that its own record does not give")
            _ = reset.loss
            try? reset.takeAway()
            demandUntouched()
            if let lost = reset.ofLoss { try? lost.takeAway() }
            demandUntouched()
            _ = try? reset.giveBack(named: interface, within: .zero) { _ in false }
            demandUntouched()
        }
        if let binding = try? DriverBinding.of(interface, sysfs: root) {
            demandNames(of: [binding])
            try? binding.unbind()
            demandUntouched()
            try? binding.bind()
            demandUntouched()
            _ = binding.interfaces
        }
    }

    private static func demandNames(of bindings: [DriverBinding]) {
        for name in bindings.flatMap({ [$0.bus, $0.driver, $0.device] }) {
            demand(SysfsClass.isComponent(name), "not the name of one file: \(name.debugDescription)")
            demandPrintable(name)
        }
    }

    // MARK: Changes

    /// Makes changes as long as there are bytes: the first chooses the kind, the second the place, the third the
    /// target of a link, or the number of bytes that follow as content or as a name.
    private static func change(_ paths: [String], _ bytes: ArraySlice<UInt8>) {
        var rest = bytes
        while rest.count >= 3 {
            let (kind, place, number) = (rest.removeFirst(), rest.removeFirst(), rest.removeFirst())
            let path = "\(root)/\(paths[Int(place) % paths.count])"
            let other = "\(root)/\(paths[Int(number) % paths.count])"
            switch kind % 6 {
            case 0: remove(path)
            case 1: link(other, from: path)
            case 2: link(outside, from: path)
            case 3: link(forbidden, from: path)
            case 4:
                let content = rest.prefix(Int(number) % 24)
                rest = rest.dropFirst(content.count)
                remove(path)
                write(Array(content), to: path)
            default:
                let name = rest.prefix(Int(number) % 24).filter { $0 != 0 && $0 != UInt8(ascii: "/") }
                rest = rest.dropFirst(Int(number) % 24)
                let new = Array(SysfsFile.parent(path).utf8) + [UInt8(ascii: "/")] + name + [0]
                new.withUnsafeBytes { _ = mkdir($0.baseAddress!.assumingMemoryBound(to: CChar.self), 0o700) }
            }
        }
    }

    private static func make(_ entry: Entry, at path: String) {
        switch entry {
        case .file(let content): write(Array(content.utf8), to: "\(root)/\(path)")
        case .link(let target): link("\(root)/\(target)", from: "\(root)/\(path)")
        }
    }

    private static func link(_ target: String, from path: String) {
        remove(path)
        makeDirectories(SysfsFile.parent(path))
        symlink(target, path)
    }

    private static func write(_ content: [UInt8], to path: String) {
        makeDirectories(SysfsFile.parent(path))
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard file != -1 else { return }
        defer { close(file) }
        demand(Glibc.write(file, content, content.count) == content.count, "write \(path): \(errno)")
    }

    private static func makeDirectories(_ path: String) {
        if mkdir(path, 0o700) != 0, errno == ENOENT {
            makeDirectories(SysfsFile.parent(path))
            mkdir(path, 0o700)
        }
    }

    /// Removes a file, a link or a directory with what it contains.
    private static func remove(_ path: String) { remove(Array(path.utf8CString)) }

    /// As above, for a path that need not be UTF-8.
    private static func remove(_ path: [CChar]) {
        guard unlink(path) != 0, let stream = opendir(path) else { return }
        var names: [[CChar]] = []
        while let entry = readdir(stream) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                Array(bytes.bindMemory(to: CChar.self).prefix { $0 != 0 })
            }
            if name != [0x2e], name != [0x2e, 0x2e] { names.append(name) }
        }
        closedir(stream)
        for name in names { remove(path.dropLast() + [0x2f] + name + [0]) }
        rmdir(path)
    }

    // MARK: Devices

    /// A device on a bus, and bound to a driver of that bus.
    private static func device(_ place: String, on bus: String, driver: String) -> Tree {
        let name = place.split(separator: "/").last!
        return [
            ("\(place)/uevent", .file("")), ("\(place)/subsystem", .link("bus/\(bus)")),
            ("bus/\(bus)/devices/\(name)", .link(place)), ("bus/\(bus)/drivers/\(driver)/bind", .file("")),
            ("bus/\(bus)/drivers/\(driver)/unbind", .file("")),
            ("\(place)/driver", .link("bus/\(bus)/drivers/\(driver)")),
        ]
    }

    /// The interface of a device, and a record of a crash of the device.
    private static func station(of device: String) -> Tree {
        let place = "\(device)/net/\(interface)"
        return [
            ("\(place)/ifindex", .file("7\n")), ("\(place)/subsystem", .link("class/net")),
            ("\(place)/device", .link(device)), ("class/net/\(interface)", .link(place)),
            ("class/devcoredump/devcd1/failing_device", .link(device)),
        ]
    }

    private static let usb: Tree = {
        let function = "devices/usb1/1-1/1-1:1.0"
        return device("devices/usb1", on: "usb", driver: "usb")
            + device("devices/usb1/1-0:1.0", on: "usb", driver: "hub")
            + device("devices/usb1/1-1", on: "usb", driver: "usb") + device(function, on: "usb", driver: "mt")
            + [
                ("devices/usb1/authorized_default", .file("1\n")),
                ("devices/usb1/1-1/authorized", .file("1\n")),
                ("devices/usb1/1-0:1.0/usb1-port1/disable", .file("0\n")),
            ] + station(of: function)
    }()

    private static let pci: Tree = {
        let bridge = "devices/pci0000:00/0000:00:1c.0"
        let function = "\(bridge)/0000:03:00.0"
        return device(bridge, on: "pci", driver: "pcieport") + device(function, on: "pci", driver: "iwl")
            + [
                ("\(function)/reset", .file("")), ("\(function)/remove", .file("")),
                ("\(function)/driver_override", .file("(null)\n")),
                ("\(bridge)/pci_bus/0000:03/rescan", .file("")),
                ("class/pci_bus/0000:03", .link("\(bridge)/pci_bus/0000:03")),
            ] + station(of: function)
    }()

    private static let sdio: Tree = {
        let host = "devices/platform/mmcnr"
        let card = "\(host)/mmc_host/mmc1/mmc1:0001"
        return device(host, on: "platform", driver: "mmc-bcm")
            + device("\(card)/mmc1:0001:1", on: "sdio", driver: "brcm")
            + device("\(card)/mmc1:0001:2", on: "sdio", driver: "brcm")
            + [("\(host)/of_node/non-removable", .file(""))] + station(of: "\(card)/mmc1:0001:1")
    }()
}
