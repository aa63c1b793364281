import Glibc
import Model
import Reporting
import Toggling

@testable import Platform
@testable import Probing
@testable import Recovery

/// Other input from outside: files of one line, locks, /dev/rfkill, the environment, the output of getent(1),
/// login records, echo replies, error queues, socket addresses, holds, known targets, the state of the bounce
/// limiter, the record of reboots, and the control groups of a process. The first byte chooses the reader.
enum SmallFiles {
    private static let readers: [@MainActor ([UInt8]) -> Void] = [
        takeFile, takeLock, takeRadioEvent, takeVariable, takeResolution, takeEcho, takeErrorQueue,
        takeSocketAddress, takeHold, takeKnownTargets, takeLogins, takeLimiter, takeReboots,
        takeControlGroups,
    ]

    @MainActor static func take(_ bytes: [UInt8]) {
        guard let choice = bytes.first else { return }
        readers[Int(choice) % readers.count](Array(bytes.dropFirst()))
    }

    // MARK: Files

    private static func takeFile(_ bytes: [UInt8]) {
        let directory = ScratchDirectory.shared
        directory.writeFile(bytes)
        if let line = SmallFile.line(directory.file) {
            demand(!line.utf8.contains(UInt8(ascii: "\n")), "more than a line")
            demand(bytes.starts(with: line.utf8), "not what stands in the file")
        }
        let text = try? SmallFile.text(directory.file)
        demand(text == String(decoding: bytes, as: UTF8.self), "not the text of the file")
    }

    /// The program reports the text in the lock's file as the lock's holder.
    private static func takeLock(_ bytes: [UInt8]) {
        let directory = ScratchDirectory.shared
        directory.writeLock(bytes)
        do throws(InterfaceLock.LockError) {
            _ = try InterfaceLock.acquire(
                interface: ScratchDirectory.interface, directory: TrustedDirectory(directory.path),
                label: "fuzz", wait: .zero)
            fatalError("a lock that another one holds was taken")
        } catch {
            guard case .held(let holder) = error else { fatalError("\(error)") }
            demand(holder.map { !$0.isEmpty && !$0.contains("\n") } ?? true, "not a line: \(holder ?? "")")
        }
    }

    /// The environment of a service: WATCHDOG_USEC, NOTIFY_SOCKET and JOURNAL_STREAM.
    private static func takeVariable(_ bytes: [UInt8]) {
        let value = String(decoding: bytes, as: UTF8.self)
        let interval = ServiceNotifier.watchdogInterval(environment: ["WATCHDOG_USEC": value], process: 1)
        demand(interval ?? .seconds(1) > .zero, "a watchdog every \(interval ?? .zero)")
        _ = UnixAddress(notifySocket: value)
        _ = Output.names(value, device: 1, inode: 2)
        demandPrintable(Output.escaped(value))
        demandPrintable(Output.line(value, level: .warning, isJournal: true))
    }

    /// An entry that was read is written with the same content, and reading that gives the same entry.
    @MainActor private static func takeKnownTargets(_ bytes: [UInt8]) {
        let now = Instant(nanoseconds: 1 << 60)
        let wallNow: Int64 = 2_000_000_000
        let read = KnownTargetsText(bytes, now: now, wallNow: wallNow)
        let entries = read.knownTargets.entries
        demand(entries.count <= KnownTargets.most, "\(entries.count) entries")
        demand(entries.allSatisfy { $0.answered <= now }, "an answer that is to come")
        let again = KnownTargetsText(read.bytes(for: read.knownTargets), now: now, wallNow: wallNow)
        demand(again.knownTargets.entries == entries, "\(entries) became \(again.knownTargets.entries)")
    }

    /// Like the known targets; and no saved time delays a bounce for longer than the settings allow.
    @MainActor private static func takeLimiter(_ bytes: [UInt8]) {
        let now = Instant(nanoseconds: 1 << 60)
        let wallNow: Int64 = 2_000_000_000
        let read = SavedLimiterText.limiter(bytes, now: now, wallNow: wallNow)
        demand(read.bounces.count <= BounceLimiter.Saved.most, "\(read.bounces.count) bounces")
        demand(read.bounces.allSatisfy { $0 <= now }, "a bounce that is to come")
        demand(read.healthySince ?? now <= now, "healthy since later")
        let written = SavedLimiterText.bytes(read, now: now, wallNow: wallNow)
        demand(written.count < StateFile.largest, "\(written.count) bytes")
        let again = SavedLimiterText.limiter(written, now: now, wallNow: wallNow)
        demand(again == read, "\(read) became \(again)")
        var settings = Settings()
        settings.probes = [ProbeSpec(.none)]
        var toggler = Toggler(runMode: .reconnect, settings: settings, seed: 1, limiter: read)
        _ = toggler.handle(.started(isPresent: true), at: now)
    }

    /// A record that was read is written with the same content, and reading that gives all reboots that
    /// count.
    @MainActor private static func takeReboots(_ bytes: [UInt8]) {
        let boot = "b"
        guard let read = RebootRecord.record(bytes, boot: boot) else { return }
        demand(read.reboots.count <= RebootState.most, "\(read.reboots.count) reboots")
        demand(read.reboots == read.reboots.sorted(), "not the oldest first: \(read.reboots)")
        let text = String(decoding: bytes, as: UTF8.self)
        demand(text.split(separator: "\n").first == "wifi-toggler reboots 1", "a record of another program")
        if let last = read.last {
            demand(text.contains("last \(last.boot) \(last.interface) "), "a link that was not named")
            demand(last.boot.utf8.count <= 64 && last.interface.utf8.count <= 64, "a name that is too long")
        }
        // A clock that was ahead may have written the record. Times later than a century after the boot are
        // left out.
        let newest = read.reboots.last ?? .boot
        let presents = [newest + .seconds(-1), newest + .seconds(1), newest + RebootState.lifetime]
        for now in presents where 0...3_000_000_000 ~= now.nanoseconds / 1_000_000_000 {
            let written = read.bytes(boot: boot, now: now)
            demand(written.count < StateFile.largest, "\(written.count) bytes")
            guard let again = RebootRecord.record(written, boot: boot) else {
                fatalError("a record that cannot be read again: \(String(decoding: written, as: UTF8.self))")
            }
            let counted = read.reboots.filter { now - $0 < RebootState.lifetime }.map { min($0, now) }
            demand(again.reboots == counted, "\(counted) became \(again.reboots)")
            demand(again.bytes(boot: boot, now: now) == written, "written otherwise the second time")
            demand(again.last?.interface == read.last?.interface, "another link")
        }
    }

    /// utmp(5), and a session of logind.
    private static func takeLogins(_ bytes: [UInt8]) {
        let peers = LoginRecords.peers(utmp: bytes)
        let session = LoginRecords.peer(session: String(decoding: bytes, as: UTF8.self))
        for peer in peers.union([session].compactMap(\.self)) {
            demand(peer.count == 4 || peer.count == 16, "an address of \(peer.count) bytes")
        }
    }

    /// The control groups of a process. The process itself may choose names of groups below that of its unit.
    private static func takeControlGroups(_ bytes: [UInt8]) {
        guard case .service(let name) = ProcessUnit.unit(inFile: bytes) else { return }
        let characters = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789:-_.\\@".utf8)
        demand(name.utf8.allSatisfy(characters.contains), "no name of a unit: \(name)")
        demand(name.hasSuffix(".service") && (9...255).contains(name.utf8.count), "no service: \(name)")
        demand(!name.hasPrefix("-") && !name.hasPrefix("."), "an option or a hidden file: \(name)")
        let paths = bytes.split(separator: UInt8(ascii: "\n")).compactMap { line in
            line.split(separator: UInt8(ascii: ":"), maxSplits: 2, omittingEmptySubsequences: false).last
        }
        let isBelow = paths.contains { path in
            let names = path.split(separator: UInt8(ascii: "/")).map { String(decoding: $0, as: UTF8.self) }
            let slices = names.prefix { $0.hasSuffix(".slice") }
            return slices.first == "system.slice" && names.dropFirst(slices.count).first == name
        }
        demand(isBelow, "a unit that is not the first group below system.slice: \(name)")
    }

    private static func takeRadioEvent(_ bytes: [UInt8]) {
        guard let event = RadioEvent(bytes) else { return }
        demand(bytes.count >= RadioEvent.size, "an event of \(bytes.count) bytes")
        demand(event == RadioEvent(bytes.prefix(RadioEvent.size)), "what a newer kernel appends changes it")
    }

    /// A file of `hold` as an administrator, or touch(1), may write it.
    private static func takeHold(_ bytes: [UInt8]) {
        guard let line = String(validating: bytes, as: UTF8.self) else { return }
        if case .until(let end) = HoldFile.parse(line, boot: "b", at: 1) {
            demand(end > 1 && line.hasPrefix("b "), "holds until \(end) by '\(line)'")
        }
    }

    // MARK: Answers

    private static func takeResolution(_ bytes: [UInt8]) {
        let addresses = DNSResolution.addresses(bytes)
        demand(addresses.allSatisfy { IPAddress($0.description) == $0 }, "no address")
        demand(Set(addresses.map(\.isIPv6)).count == addresses.count, "several of one family")
        _ = DNSResolution.isPlausible(String(decoding: bytes, as: UTF8.self))
    }

    /// The first ten bytes describe what was sent, the rest is what was received.
    private static func takeEcho(_ bytes: [UInt8]) {
        let headSize = 10
        guard bytes.count >= headSize else { return }
        let word = { (at: Int) in UInt16(bytes[at]) << 8 | UInt16(bytes[at + 1]) }
        let packet = Array(bytes[headSize...])
        for family in [SocketAddress.Family.v4, .v6] {
            let sent = EchoMessage(
                family: family, identifier: word(0), sequence: word(2),
                cookie: bytes[2..<headSize].reduce(0) { $0 << 8 | UInt64($1) })
            let reply = reply(to: sent)
            demand(sent.isReply(reply), "the right answer is refused")
            demand(sent.isQuoted(sent.request), "the own request is not known")
            _ = sent.isQuoted(packet)
            // Only the checksum may differ: the kernel has checked it.
            let isSame =
                packet.count == reply.count && packet[..<2] == reply[..<2] && packet[4...] == reply[4...]
            demand(!sent.isReply(packet) || isSame, "an answer to another question")
        }
        if let message = EchoMessage.strippingIPv4Header(packet) {
            demand(message.endIndex == packet.endIndex, "not the end of the packet")
        }
    }

    private static func reply(to sent: EchoMessage) -> [UInt8] {
        var bytes = sent.request
        bytes.replaceSubrange(0..<4, with: [sent.family == .v4 ? 0 : 129, 0, 0, 0])
        let sum = EchoMessage.checksum(bytes)
        bytes.replaceSubrange(2..<4, with: [UInt8(sum >> 8), UInt8(truncatingIfNeeded: sum)])
        return bytes
    }

    private static func takeErrorQueue(_ bytes: [UInt8]) {
        let data = ControlMessages(bytes).data { level, type in
            level == Int32(IPPROTO_IP) && type == IP_RECVERR
        }
        _ = ControlMessages(bytes).data { _, _ in false }
        for bytes in [data ?? [], bytes] {
            guard let report = ErrorReport(bytes, quoted: bytes) else { continue }
            if case .unknown(let failure) = report.result(from: nil) {
                demand(!failure.description.isEmpty, "a failure without words")
            }
            if case .unanswered(let detail) = report.result(from: .v4(1)) { demandPrintable(detail) }
        }
    }

    private static func takeSocketAddress(_ bytes: [UInt8]) {
        guard let address = SocketAddress(bytes: bytes) else { return }
        demand(SocketAddress(bytes: address.bytes) == address, "another address")
    }
}
