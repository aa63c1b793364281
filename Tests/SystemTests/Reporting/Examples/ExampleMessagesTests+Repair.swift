import Foundation
import Glibc
import Testing

/// `repair`, and what it finds.
extension ExampleMessagesTests {
    func repairs() throws -> [String] {
        let run = link.runDirectory.path
        let kept = link.directory.path + "/kept"
        try link.makeThingsToLose()
        try link.abandonBounce()
        var lines = try example("repair", "--dry-run") + example("repair", namespace: link.farNamespace)
        try shell("cp \(link.record.path) \(kept)")
        try shell("cp \(kept) \(run)/wlan7.intent")
        lines += try example("repair", "wlan7")
        try shell("ln -s \(kept) \(run)/wlan7.intent")
        lines += try example("repair", "wlan7")
        unlink("\(run)/wlan7.intent")
        try link.configure("[default]\nnonsense\n")
        lines += try example("repair")
        try link.configure("")
        lines += try example("repair", "--run-dir \(kept)")
        try link.abandonSettling()
        lines += try example("repair", "--dry-run")
        try link.nearIP("link set \(VirtualLink.near) down")
        return try lines + example("repair")
    }

    /// Records that belong to the service's user. Root acts only on a part of their content.
    func forgedRecords() throws -> [String] {
        try link.makeThingsToLose()
        try link.abandonBounce()
        let text = try String(contentsOf: link.record, encoding: .utf8)
        let user = try ServiceUser(link)
        try FileManager.default.removeItem(at: link.runDirectory)
        mkdir(link.runDirectory.path, 0o755)
        chown(link.runDirectory.path, ServiceUser.number, ServiceUser.number)
        func repair(_ text: String, _ options: String = "") throws -> [String] {
            try write(text, to: link.record.path)
            chown(link.record.path, ServiceUser.number, ServiceUser.number)
            return try example("repair", options, prefix: user.asRoot)
        }
        let line = "\nrestore yes\nreset usb cdc_ether 1-1:1.0\n"
        return try repair(text.replacing("\nrestore yes\n", with: line)) + repair(text)
            + repair(text, "--any-interface")
    }
}
