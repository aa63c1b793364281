import CLinux
import Foundation
import Glibc
import Testing

/// A datagram socket in the role of wpa_supplicant.
@MainActor final class SupplicantPeer {
    let directory: String
    private(set) var commands: [String] = []
    private var descriptor: Int32
    private var clients: Set<[UInt8]> = []
    /// The address of the last sender.
    private var client: [UInt8] = []

    init() throws {
        directory = FileManager.default.temporaryDirectory.path + "/owners-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        let kind = SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        descriptor = socket(AF_UNIX, Int32(kind), 0)
        let path = [UInt8](directory.utf8) + Array("/wlan0".utf8)
        let address = withUnsafeBytes(of: sa_family_t(AF_UNIX)) { Array($0) } + path + [0]
        let result = address.withUnsafeBytes {
            bind(descriptor, $0.assumingMemoryBound(to: sockaddr.self).baseAddress!, socklen_t($0.count))
        }
        try #require(result == 0)
    }

    isolated deinit {
        stop()
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// Ends the peer as if it had been killed: the file of its socket remains.
    func stop() {
        if descriptor >= 0 { close(descriptor) }
        descriptor = -1
    }

    /// Reads all commands that have arrived, and answers them. Returns false, so that a wait for a condition
    /// goes on.
    func serve(_ answer: (String) -> [[UInt8]]) -> Bool {
        while let command = hear() {
            commands.append(command)
            for bytes in answer(command) { _ = say(bytes) }
        }
        return false
    }

    func flood(_ bytes: [UInt8]) {
        _ = hear()
        while !client.isEmpty, say(bytes) {}
    }

    /// The number of senders that still have their socket open.
    func countClients() -> Int {
        clients.filter { address in
            client = address
            return say([0])
        }.count
    }

    private func hear() -> String? {
        var bytes = [UInt8](repeating: 0, count: 4096)
        var address = [UInt8](repeating: 0, count: 128)
        var length = socklen_t(address.count)
        let count = address.withUnsafeMutableBytes {
            recvfrom(
                descriptor, &bytes, bytes.count, 0,
                $0.assumingMemoryBound(to: sockaddr.self).baseAddress!, &length)
        }
        guard count >= 0 else { return nil }
        client = Array(address.prefix(Int(length)))
        clients.insert(client)
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }

    private func say(_ bytes: [UInt8]) -> Bool {
        client.withUnsafeBytes {
            sendto(
                descriptor, bytes, bytes.count, send_no_signal,
                $0.assumingMemoryBound(to: sockaddr.self).baseAddress!, socklen_t($0.count))
        } >= 0
    }
}
