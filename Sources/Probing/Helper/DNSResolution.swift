import Model
import Platform

/// Resolves names in a separate process. getaddrinfo(3) blocks, and loads modules of the name service, which
/// a static executable with an event loop cannot use.
@MainActor enum DNSResolution {
    /// A standard program that asks the C library's name service (getent(1)).
    nonisolated static let program = "/usr/bin/getent"

    /// Resolves the name within the probe's time limit, and calls `found` with the first address of each
    /// family, one or two. If the name cannot be resolved, the result is unknown, because the probe was never
    /// sent.
    static func start(
        _ name: String, program: String, _ pending: PendingProbe,
        _ found: @escaping @MainActor ([IPAddress]) -> Void
    ) {
        let failure = Failure(
            kind: .other, description: "\(name) could not be resolved (an address needs no name server)")
        guard isPlausible(name) else { return pending.end(.unknown(failure)) }
        pending.timeIsOver = { pending.end(.unknown(failure)) }
        do {
            let child = try ChildProcess.start(
                program, arguments: ["ahosts", name], timeout: pending.remaining, outputLimit: outputLimit
            ) { ending, output in
                let addresses = ending == .exited(status: 0) ? Self.addresses(output) : []
                if addresses.isEmpty { pending.end(.unknown(failure)) } else { found(addresses) }
            }
            pending.atEnd { child.cancel() }
        } catch {
            pending.end(.unknown(Failure(error)))
        }
    }

    private static let outputLimit = 16_384

    /// Whether the name can be a host name that getent(1) does not take for an option.
    nonisolated static func isPlausible(_ name: String) -> Bool {
        (1...253).contains(name.utf8.count) && name.utf8.first != UInt8(ascii: "-")
            && name.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7f }
    }

    /// The first address of each family in the output of `getent ahosts`, in the order of the output. That
    /// order depends on the routes of the whole machine, not only on those of the link.
    nonisolated static func addresses(_ output: [UInt8]) -> [IPAddress] {
        let lines = output.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        // What follows the last end of a line is incomplete, or empty.
        let all = lines.dropLast().compactMap(address)
        let others = all.filter { $0.isIPv6 != all.first?.isIPv6 }
        return [all.first, others.first].compactMap(\.self)
    }

    /// The address in a line, "ADDRESS  TYPE NAME"; nil if the line has another form.
    nonisolated private static func address(_ bytes: ArraySlice<UInt8>) -> IPAddress? {
        guard let line = String(validating: bytes, as: UTF8.self) else { return nil }
        let words = line.split(separator: " ", omittingEmptySubsequences: true)
        guard words.count >= 2, types.contains(String(words[1])) else { return nil }
        // A link-local address may be followed by `%` and its interface. The probe uses its own interface.
        return IPAddress(String(words[0].prefix { $0 != "%" }))
    }

    nonisolated private static let types: Set = ["STREAM", "DGRAM", "RAW"]
}
