import Foundation
import TestSupport

/// A tree like /sys, empty.
struct SysfsTree {
    let scratch: Scratch
    var root: String { scratch.path }

    init() throws { scratch = try Scratch() }

    /// Adds a device; on `bus`, if given, and bound to `driver` of that bus, if given.
    func device(_ place: String, on bus: String?, driver: String?) throws {
        try write("", "\(place)/uevent")
        guard let bus else { return }
        let name = String(place.split(separator: "/").last!)
        try link("bus/\(bus)", from: "\(place)/subsystem")
        try link(place, from: "bus/\(bus)/devices/\(name)")
        guard let driver else { return }
        for file in ["bind", "unbind"] where text("bus/\(bus)/drivers/\(driver)/\(file)").isEmpty {
            try write("", "bus/\(bus)/drivers/\(driver)/\(file)")
        }
        try link("bus/\(bus)/drivers/\(driver)", from: "\(place)/driver")
    }

    /// Adds the interface that the driver creates.
    func give(_ name: String, index: Int, of device: String) throws {
        let place = "\(device)/net/\(name)"
        try link("class/net", from: "\(place)/subsystem")
        try link(device, from: "\(place)/device")
        try link(place, from: "class/net/\(name)")
        try write("\(index)\n", "\(place)/ifindex")
    }

    func write(_ text: String, _ place: String) throws { try scratch.write(text, to: place) }

    /// Makes a symbolic link, in place of any older one.
    func link(_ target: String, from place: String) throws {
        let parent = URL(fileURLWithPath: "\(root)/\(place)").deletingLastPathComponent()
        try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
        unlink("\(root)/\(place)")
        try FileManager.default.createSymbolicLink(
            atPath: "\(root)/\(place)", withDestinationPath: "\(root)/\(target)")
    }

    func remove(_ place: String) throws { try FileManager.default.removeItem(atPath: "\(root)/\(place)") }

    /// The content of a file; empty if the file does not exist.
    func text(_ place: String) -> String {
        (try? String(contentsOfFile: "\(root)/\(place)", encoding: .utf8)) ?? ""
    }
}
