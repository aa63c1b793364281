import Glibc

/// The addresses from which users are logged in, according to the records of login programs: utmp(5) and the
/// sessions of systemd-logind(8). A record may be outdated.
public struct LoginRecords: Sendable {
    private let utmp: String
    private let sessions: String
    /// A larger file is no record of logins, in bytes; utmp has some 400 for each.
    private static let largest = 1 << 20
    /// The most sessions that are read: enough to know that a user is there.
    private static let mostSessions = 1024

    public init(utmp: String = "/run/utmp", sessions: String = "/run/systemd/sessions") {
        self.utmp = utmp
        self.sessions = sessions
    }

    /// The addresses of the peers, 4 or 16 bytes each in network byte order, without those that are given by
    /// name only or cannot be read.
    public func peers() -> Set<[UInt8]> {
        Self.peers(utmp: SmallFile.start(utmp, atMost: Self.largest) ?? []).union(peersOfSessions())
    }

    /// From whole records of type USER_PROCESS; an incomplete record at the end is ignored.
    static func peers(utmp bytes: [UInt8]) -> Set<[UInt8]> {
        let size = MemoryLayout<Glibc.utmp>.size
        var peers: Set<[UInt8]> = []
        for start in stride(from: 0, through: bytes.count - size, by: size) {
            let record = bytes.withUnsafeBytes {
                $0.loadUnaligned(fromByteOffset: start, as: Glibc.utmp.self)
            }
            guard Int32(record.ut_type) == USER_PROCESS else { continue }
            if let peer = address(withUnsafeBytes(of: record.ut_addr_v6) { Array($0) }) { peers.insert(peer) }
        }
        return peers
    }

    /// IPv4 uses only the first four of the bytes; all zero is a login at this machine.
    private static func address(_ bytes: [UInt8]) -> [UInt8]? {
        if bytes.allSatisfy({ $0 == 0 }) { return nil }
        return plain(bytes.dropFirst(4).allSatisfy { $0 == 0 } ? Array(bytes.prefix(4)) : bytes)
    }

    /// An IPv4-mapped IPv6 address becomes IPv4.
    private static func plain(_ bytes: [UInt8]) -> [UInt8] {
        let mapped: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]
        return bytes.count == 16 && bytes.starts(with: mapped) ? Array(bytes.suffix(4)) : bytes
    }

    private func peersOfSessions() -> Set<[UInt8]> { Set(sessionTexts.compactMap(Self.peer)) }

    private var sessionTexts: [String] {
        // Next to the file of each session is a pipe, NAME.ref.
        DirectoryListing.of(sessions, atMost: Self.mostSessions).filter { !$0.contains(".") }.map { name in
            let bytes = SmallFile.start("\(sessions)/\(name)", atMost: SmallFile.page) ?? []
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    // MARK: Any login

    /// The name of a user who is logged in, at this machine or from elsewhere; nil: nobody is.
    public func user() -> String? {
        Self.user(utmp: SmallFile.start(utmp, atMost: Self.largest) ?? [])
            ?? sessionTexts.lazy.compactMap(Self.user).first
    }

    /// From whole records of type USER_PROCESS whose process still runs.
    static func user(utmp bytes: [UInt8]) -> String? {
        let size = MemoryLayout<Glibc.utmp>.size
        for start in stride(from: 0, through: bytes.count - size, by: size) {
            let record = bytes.withUnsafeBytes {
                $0.loadUnaligned(fromByteOffset: start, as: Glibc.utmp.self)
            }
            guard Int32(record.ut_type) == USER_PROCESS, record.ut_pid > 0,
                kill(record.ut_pid, 0) == 0 || errno == EPERM
            else { continue }
            return withUnsafeBytes(of: record.ut_user) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
        }
        return nil
    }

    /// Not a greeter's or a manager's session, and not one that is over while its processes go on.
    static func user(session text: String) -> String? {
        let values = text.split(separator: "\n").map { $0.split(separator: "=", maxSplits: 1) }
        let value = { key in values.first { $0.count == 2 && $0[0] == key }.map { String($0[1]) } }
        guard value("CLASS")?.hasPrefix("user") == true, value("STATE") != "closing" else { return nil }
        return value("USER") ?? value("UID")
    }

    /// `REMOTE=1` and `REMOTE_HOST=ADDRESS` among the lines.
    static func peer(session text: String) -> [UInt8]? {
        let lines = text.split(separator: "\n")
        let key = "REMOTE_HOST="
        guard lines.contains("REMOTE=1"), let host = lines.first(where: { $0.hasPrefix(key) }) else {
            return nil
        }
        let name = String(host.dropFirst(key.count))
        for (family, size) in [(AF_INET, 4), (AF_INET6, 16)] {
            var bytes = [UInt8](repeating: 0, count: size)
            // The interface after a link-local address is not part of it.
            if inet_pton(family, String(name.prefix { $0 != "%" }), &bytes) == 1 { return plain(bytes) }
        }
        return nil
    }
}
