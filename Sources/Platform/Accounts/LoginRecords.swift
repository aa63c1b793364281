import Glibc

/// Finds users who are logged in, in the records of login programs: utmp(5) and the sessions of
/// systemd-logind(8). A record may be outdated.
public struct LoginRecords: Sendable {
    private let utmp: String
    private let sessions: String
    /// The most bytes of utmp that are read; utmp has about 400 bytes for each login.
    private static let largest = 1 << 20
    /// The most sessions that are read.
    private static let mostSessions = 1024

    public init(utmp: String = "/run/utmp", sessions: String = "/run/systemd/sessions") {
        self.utmp = utmp
        self.sessions = sessions
    }

    /// The addresses from which users are logged in, 4 or 16 bytes each in network byte order. Logins whose
    /// record has a host name instead of an address, or cannot be read, are left out.
    public func peers() -> Set<[UInt8]> {
        Self.peers(utmp: SmallFile.start(utmp, atMost: Self.largest) ?? []).union(peersOfSessions())
    }

    /// The records of the type USER_PROCESS. An incomplete record at the end is ignored.
    private static func records(_ bytes: [UInt8]) -> [Glibc.utmp] {
        let size = MemoryLayout<Glibc.utmp>.size
        return stride(from: 0, through: bytes.count - size, by: size)
            .map { start in
                bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: start, as: Glibc.utmp.self) }
            }
            .filter { Int32($0.ut_type) == USER_PROCESS }
    }

    static func peers(utmp bytes: [UInt8]) -> Set<[UInt8]> {
        Set(records(bytes).compactMap { address(withUnsafeBytes(of: $0.ut_addr_v6) { Array($0) }) })
    }

    /// An address in utmp's 16 bytes. For IPv4, only the first four are used. If all are zero, the login is
    /// local.
    private static func address(_ bytes: [UInt8]) -> [UInt8]? {
        if bytes.allSatisfy({ $0 == 0 }) { return nil }
        return plain(bytes.dropFirst(4).allSatisfy { $0 == 0 } ? Array(bytes.prefix(4)) : bytes)
    }

    /// Converts an IPv4-mapped IPv6 address to IPv4.
    private static func plain(_ bytes: [UInt8]) -> [UInt8] {
        let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]
        return bytes.count == 16 && bytes.starts(with: mapped) ? Array(bytes.suffix(4)) : bytes
    }

    private func peersOfSessions() -> Set<[UInt8]> { Set(sessionTexts.compactMap(Self.peer)) }

    private var sessionTexts: [String] {
        // Each session also has a pipe named NAME.ref, which is not read.
        DirectoryListing.of(sessions, atMost: Self.mostSessions).filter { !$0.contains(".") }.map { name in
            let bytes = SmallFile.start("\(sessions)/\(name)", atMost: SmallFile.largestLine) ?? []
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    // MARK: Any login

    /// The name (or else the ID) of a user who is logged in, locally or from another machine; nil if there is
    /// none.
    public func user() -> String? {
        Self.user(utmp: SmallFile.start(utmp, atMost: Self.largest) ?? [])
            ?? sessionTexts.lazy.compactMap(Self.user).first
    }

    /// The user of the first record whose process still runs.
    static func user(utmp bytes: [UInt8]) -> String? {
        let record = records(bytes).first { $0.ut_pid > 0 && (kill($0.ut_pid, 0) == 0 || errno == EPERM) }
        return record.map {
            withUnsafeBytes(of: $0.ut_user) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        }
    }

    /// The user of a session; nil for the session of a display manager or a service manager, and for one that
    /// has ended although processes of it still run.
    static func user(session text: String) -> String? {
        let values = text.split(separator: "\n").map { $0.split(separator: "=", maxSplits: 1) }
        let value = { key in values.first { $0.count == 2 && $0[0] == key }.map { String($0[1]) } }
        guard value("CLASS")?.hasPrefix("user") == true, value("STATE") != "closing" else { return nil }
        return value("USER") ?? value("UID")
    }

    /// The remote address of a session, from its lines `REMOTE=1` and `REMOTE_HOST=ADDRESS`; nil if the
    /// session is local, or if REMOTE_HOST is a name.
    static func peer(session text: String) -> [UInt8]? {
        let lines = text.split(separator: "\n")
        let key = "REMOTE_HOST="
        guard lines.contains("REMOTE=1"), let host = lines.first(where: { $0.hasPrefix(key) }) else {
            return nil
        }
        let name = String(host.dropFirst(key.count))
        for (family, size) in [(AF_INET, 4), (AF_INET6, 16)] {
            var bytes = [UInt8](repeating: 0, count: size)
            // A link-local address may be followed by `%` and an interface, which is not part of it.
            if inet_pton(family, String(name.prefix { $0 != "%" }), &bytes) == 1 { return plain(bytes) }
        }
        return nil
    }
}
