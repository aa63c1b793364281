import Glibc
import Model
import Platform

/// A datagram from wpa_supplicant's control socket. Its content is not trusted before it is parsed.
enum SupplicantReply: Equatable {
    /// An unsolicited message: `<N>` and a text, possibly after the interface's name.
    case event
    case okay
    case refused(String)
    /// Any other text, such as the lines of a status.
    case text(String)
    /// The datagram is too long, or not UTF-8.
    case unreadable

    /// The largest datagram, in bytes: the size of wpa_supplicant's own buffer.
    static let longest = 4096

    init(_ bytes: some Collection<UInt8>) {
        guard bytes.count <= Self.longest, let text = String(validating: bytes, as: UTF8.self) else {
            self = .unreadable
            return
        }
        // Split at Unicode scalars, because a Character may join a carriage return and a line feed.
        let line = String(text.unicodeScalars.prefix { $0 != "\n" })
        switch line {
        case "OK": self = .okay
        case "FAIL", "FAIL-BUSY", "UNKNOWN COMMAND": self = .refused(line)
        default: self = line.hasPrefix("<") || line.hasPrefix("IFNAME=") ? .event : .text(text)
        }
    }

    /// The states in which wpa_supplicant is connected, or is trying to connect (wpa_supplicant_state_txt()).
    /// In the other states it was told to leave the link alone, or has no network to join.
    private static let joining: Set<String> = [
        "4WAY_HANDSHAKE", "ASSOCIATED", "ASSOCIATING", "AUTHENTICATING", "COMPLETED", "GROUP_HANDSHAKE",
        "SCANNING",
    ]
    private static let idle: Set<String> = [
        "DISCONNECTED", "INACTIVE", "INTERFACE_DISABLED", "UNINITIALIZED",
    ]

    /// Why REASSOCIATE must not be sent, from the answer to STATUS; nil if there is no reason.
    var reasonNotToReassociate: Failure? {
        switch self {
        case .text(let text):
            let key = "wpa_state="
            let line = text.unicodeScalars.split(separator: "\n").map(String.init).first { $0.hasPrefix(key) }
            guard let state = line.map({ String($0.dropFirst(key.count)) }) else { return .nonsense }
            if Self.joining.contains(state) { return nil }
            guard Self.idle.contains(state) else { return .nonsense }
            return Failure(
                kind: .other,
                description: "wpa_supplicant does not try to connect, perhaps because a user told it not to"
                    + " (its state is \(state); see 'wpa_cli status')")
        case .refused(let word): return .refusedBySupplicant(word)
        case .event, .okay, .unreadable: return .nonsense
        }
    }

    /// The IDs of the networks that wpa_supplicant postpones because joining them has failed, from the answer
    /// to LIST_NETWORKS. Empty while it is connected or connecting to a network. Networks that a user has
    /// disabled are not included.
    var postponedNetworks: [Int32] {
        guard case .text(let text) = self else { return [] }
        // The fields are ID, name, access point and flags. A name contains no tab or line feed.
        let networks = text.unicodeScalars.split(separator: "\n").map {
            $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        }.filter { $0.count == 4 }
        let isJoined = networks.contains { $0[3].split(separator: "]").contains { $0 == "[CURRENT" } }
        guard !isJoined else { return [] }
        return networks.filter { $0[3] == "[TEMP-DISABLED]" }.compactMap { fields in
            Int32(fields[0]).flatMap { $0 >= 0 ? $0 : nil }
        }
    }

    /// The result of a command.
    var outcome: Result<Void, Failure> {
        switch self {
        case .okay: .success(())
        case .refused(let word): .failure(.refusedBySupplicant(word))
        case .event, .text, .unreadable: .failure(.nonsense)
        }
    }
}

extension Failure {
    static let silence = Failure(
        kind: .timedOut, code: ETIMEDOUT, description: "wpa_supplicant did not answer")
    static let nonsense = Failure(
        kind: .lost, description: "wpa_supplicant sent an answer that this program does not understand")

    static func refusedBySupplicant(_ word: String) -> Failure {
        Failure(kind: .other, description: "wpa_supplicant refused: \(word)")
    }

    /// Converts a failed connection to a control socket to the core's type.
    init(_ problem: ControlSocket.Problem) {
        switch problem {
        case .none:
            self.init(
                kind: .unavailable, description: "no wpa_supplicant has a control socket for this interface")
        case .untrusted(let words): self.init(kind: .unavailable, description: words)
        case .refused(let error): self.init(controlSocket: error)
        }
    }

    init(controlSocket error: SystemError) {
        let kind: Kind =
            switch error.code {
            case EPERM, EACCES: .notPermitted
            // The socket has disappeared in between.
            case ECONNREFUSED, ECONNRESET, ENOTCONN: .unavailable
            case EAGAIN, ENOBUFS: .busy
            default: .other
            }
        self.init(
            kind: kind, code: error.code, description: "wpa_supplicant's control socket: \(error.description)"
        )
    }
}
