import Foundation
import Testing

/// The directories that a run needs are on a full or read-only disk, which is mounted in a mount namespace of
/// the program's own.
@Suite("A disk that is full or read-only", .needsRoot)
struct FullDiskTests {
    enum Disk: String, CaseIterable, CustomTestStringConvertible {
        /// No file can be made.
        case noRoomForFile
        /// The lock file exists; its content does not fit.
        case noRoomInFile
        case readOnly
        /// The directory itself does not exist, and its parent is read-only.
        case readOnlyAbove

        var testDescription: String { rawValue }

        var words: String {
            switch self {
            case .noRoomForFile, .noRoomInFile: "No space left on device"
            case .readOnly, .readOnlyAbove: "Read-only file system"
            }
        }

        /// Shell commands that mount the disk on `$dir`.
        private var mounting: String {
            switch self {
            // The root directory is the only file that fits.
            case .noRoomForFile: "mount -t tmpfs -o nr_inodes=1,mode=755 none $dir"
            case .noRoomInFile:
                """
                mount -t tmpfs -o size=4k,mode=755 none $dir; : >$dir/near0.lock; chmod 600 $dir/near0.lock
                ! cat /dev/zero >$dir/filler 2>/dev/null
                """
            case .readOnly: "mount -t tmpfs -o ro,mode=755 none $dir"
            case .readOnlyAbove:
                "rmdir $dir; above=$(dirname $dir); mount --bind $above $above; mount -o remount,bind,ro $above"
            }
        }

        /// Prefix of a command that is to use this disk in a directory.
        func prefix(_ directory: URL) -> [String] {
            let script = "dir=\(directory.path)\nset -e\n\(mounting)\nexec \"$@\""
            return ["unshare", "--mount", "--", "sh", "-c", script, "sh"]
        }
    }

    @Test(
        "with an unwritable run directory a one-shot ends with 73, and the link is untouched",
        arguments: ["toggle", "reconnect"], Disk.allCases)
    func refused(_ command: String, _ disk: Disk) throws {
        let link = try VirtualLink()
        try FileManager.default.createDirectory(at: link.runDirectory, withIntermediateDirectories: true)
        let trace = try LinkTrace(link)
        let program = try link.start(command, prefix: disk.prefix(link.runDirectory))
        let outcome = try program.outcome()
        #expect(outcome.status == 73, "\(outcome)")
        #expect(outcome.standardError.contains(link.runDirectory.path), "\(outcome)")
        #expect(outcome.standardError.contains(disk.words), "\(outcome)")
        #expect(outcome.standardError.split(separator: "\n").count == 1, "\(outcome)")
        try trace.catchUp()
        #expect(try trace.isUntouched())
        #expect(trace.announcements == 0, "\(trace.changes)")
        #expect(try link.nearIP("route show default").contains(VirtualLink.farAddress))
    }

    @Test(
        "with an unwritable run directory the service ends with 73 before it changes anything",
        arguments: Disk.allCases)
    func service(_ disk: Disk) throws {
        let link = try VirtualLink()
        try FileManager.default.createDirectory(at: link.runDirectory, withIntermediateDirectories: true)
        let trace = try LinkTrace(link)
        let program = try link.start("run", ["--force"], prefix: disk.prefix(link.runDirectory))
        let outcome = try program.outcome()
        #expect(outcome.status == 73, "\(outcome)")
        #expect(try trace.isUntouched())
    }

    @Test("probe needs no writable directory", arguments: Disk.allCases)
    func probe(_ disk: Disk) throws {
        let link = try VirtualLink()
        try FileManager.default.createDirectory(at: link.runDirectory, withIntermediateDirectories: true)
        let outcome = try link.start("probe", prefix: disk.prefix(link.runDirectory)).outcome()
        #expect(outcome.status == 0, "\(outcome)")
    }

    @Test(
        "an unwritable state directory prevents no bounce, and is reported once", arguments: Disk.allCases
    )
    func state(_ disk: Disk) throws {
        let link = try VirtualLink()
        let state = link.directory.appendingPathComponent("above/state")
        try FileManager.default.createDirectory(at: state, withIntermediateDirectories: true)
        let trace = try LinkTrace(link)
        // The test adds a second --state-dir; the last one counts.
        let probe = ["--probe", "icmp:\(VirtualLink.farAddress)"]
        let options = ["--state-dir", state.path, "--delay", "100ms"] + probe
        let outcome = try link.start("toggle", options, prefix: disk.prefix(state)).outcome()
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.standardError.contains(disk.words), "\(outcome)")
        #expect(outcome.standardError.components(separatedBy: state.path).count == 2, "\(outcome)")
        #expect(try trace.changes(atLeast: 2).map(\.isUp) == [false, true])
        #expect(try link.isUp)
    }
}
