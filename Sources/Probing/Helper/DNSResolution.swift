import Model
import Platform

/// Resolves names in a separate process: getaddrinfo(3) blocks, and loads the machine's name service modules,
/// which a static executable with an event loop cannot use.
@MainActor enum DNSResolution {
    /// The C library's own way to ask its name service (getent(1)).
    nonisolated static let program = "/usr/bin/getent"

    /// Resolves within the probe's time and continues with the first address. If a name cannot be resolved,
    /// the result is unknown: the probe was never sent.
    static func start(
        _ name: String, program: String, _ pending: PendingProbe,
        _ found: @escaping @MainActor (IPAddress) -> Void
    ) {
        let failure = Failure(kind: .other, description: "\(name) could not be resolved")
        guard isPlausible(name) else { return pending.end(.unknown(failure)) }
        pending.timeIsOver = { pending.end(.unknown(failure)) }
        do {
            let child = try ChildProcess.start(
                program, arguments: ["ahosts", name], timeout: pending.remaining, outputLimit: outputLimit
            ) { ending, output in
                guard ending == .exited(status: 0), let address = firstAddress(output) else {
                    return pending.end(.unknown(failure))
                }
                found(address)
            }
            pending.atEnd { child.cancel() }
        } catch {
            pending.end(.unknown(Failure(error)))
        }
    }

    private static let outputLimit = 16_384

    /// Whether it can be a host name: one argument that getent does not take for an option.
    nonisolated static func isPlausible(_ name: String) -> Bool {
        (1...253).contains(name.utf8.count) && name.utf8.first != UInt8(ascii: "-")
            && name.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7f }
    }

    /// The address at the start of the first line of `getent ahosts`: "ADDRESS  TYPE NAME". nil if the line
    /// has another form, or is incomplete.
    nonisolated static func firstAddress(_ output: [UInt8]) -> IPAddress? {
        guard let end = output.firstIndex(of: UInt8(ascii: "\n")),
            let line = String(validating: output[..<end], as: UTF8.self)
        else { return nil }
        let words = line.split(separator: " ", omittingEmptySubsequences: true)
        guard words.count >= 2, types.contains(String(words[1])) else { return nil }
        // A link-local address may name its interface; the probe has its own.
        return IPAddress(String(words[0].prefix { $0 != "%" }))
    }

    nonisolated private static let types: Set = ["STREAM", "DGRAM", "RAW"]
}
