import Glibc

/// An administrator's hold: the order to leave one interface (`DIRECTORY/INTERFACE.hold`) or all interfaces
/// (`DIRECTORY/hold`) alone.
///
/// The file has one line: the identifier of the boot in which the order was given (random(4), boot_id), and
/// the time at which the hold ends, in nanoseconds of CLOCK_BOOTTIME. A file with other content, such as an
/// empty one, is a hold until it is removed.
public struct HoldFile: Sendable {
    public enum Hold: Equatable, Sendable {
        case until(bootNanoseconds: Int64)
        case untilRemoved
    }

    private static let general = "hold"
    private static let suffix = ".hold"

    private let directory: String
    private let name: String

    /// - Parameter interface: the name of the interface; nil for all interfaces.
    public init(interface: String?, directory: String) {
        self.directory = directory
        name = interface.map { $0 + Self.suffix } ?? Self.general
    }

    private var path: String { "\(directory)/\(name)" }

    /// Whether this is the name of a hold file.
    public static func isName(_ name: String) -> Bool { name == general || name.hasSuffix(suffix) }

    /// The names of the files that are a hold on this interface.
    public static func names(for interface: String) -> [String] { [interface + suffix, general] }

    /// The hold at this time; nil if there is none, or if it has ended.
    public func read(at bootNanoseconds: Int64 = BootClock.now()) -> Hold? {
        var status = stat()
        // Without a hold, this is the only system call.
        guard lstat(path, &status) == 0 else { return nil }
        // The file may have been replaced since then, so check the file that is read.
        do throws(SystemError) {
            let place = try OpenDirectory(directory, making: false)
            guard let content = try place.read(name, largest: SmallFile.largestLine) else { return nil }
            let line = content.prefix { $0 != UInt8(ascii: "\n") }
            guard let text = String(validating: line, as: UTF8.self) else { return .untilRemoved }
            return Self.parse(text, boot: Self.boot, at: bootNanoseconds)
        } catch {
            return .untilRemoved
        }
    }

    static func parse(_ line: String, boot: String, at bootNanoseconds: Int64) -> Hold? {
        let words = line.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 2, let end = Int64(words[1]) else { return .untilRemoved }
        guard words[0] == boot, bootNanoseconds < end else { return nil }
        return .until(bootNanoseconds: end)
    }

    /// Starts a hold that ends at this time, in nanoseconds of CLOCK_BOOTTIME. Replaces an earlier one
    /// atomically. Creates the directory if it does not exist.
    /// - Throws: the file cannot be written.
    public func write(until bootNanoseconds: Int64) throws(SystemError) {
        let text = "\(Self.boot) \(bootNanoseconds)\n"
        try StateFile(name, in: directory).write(Array(text.utf8), mode: 0o644)
    }

    /// Removes the hold.
    /// - Returns: whether there was one.
    /// - Throws: the error of unlink(2).
    public func remove() throws(SystemError) -> Bool {
        do { try check("unlink") { unlink(path) } } catch  where error.code == ENOENT { return false }
        return true
    }

    /// All holds in a directory: those of interfaces, sorted by name, and then the general one, which may not
    /// exist.
    public static func all(in directory: String) throws(SystemError) -> [HoldFile] {
        guard let names = try names(in: directory) else { return [] }
        return names.filter { $0 != general }.sorted()
            .map { String(decoding: $0.utf8.dropLast(suffix.utf8.count), as: UTF8.self) }
            .map { HoldFile(interface: $0, directory: directory) }
            + [HoldFile(interface: nil, directory: directory)]
    }

    /// The names of all hold files, in no particular order; nil if the directory does not exist.
    public static func names(in directory: String) throws(SystemError) -> [String]? {
        guard let stream = opendir(directory) else {
            guard errno == ENOENT else { throw SystemError(call: "opendir", code: errno) }
            return nil
        }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let bytes = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
            let isOne = bytes.elementsEqual(general.utf8) || isOfInterface(bytes)
            if isOne { names.append(String(decoding: bytes, as: UTF8.self)) }
        }
        return names
    }

    private static func isOfInterface(_ name: [UInt8]) -> Bool {
        name.count > suffix.utf8.count && name.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
    }

    /// The identifier of this boot, or a fixed word if /proc does not show it.
    private static var boot: String { BootID.boot ?? "unknown" }
}
