import Invocation
import Model

@testable import Reporting

/// Messages on the control socket: from a client to the service, and answers to `status`. The first byte
/// chooses the reader; a client's messages also arrive in pieces.
enum ControlWords {
    @MainActor static func take(_ bytes: [UInt8]) {
        guard let choice = bytes.first else { return }
        if choice % 2 == 0 { takeCalls(Array(bytes.dropFirst())) } else { takeReply(bytes.dropFirst()) }
    }

    /// The service's side.
    @MainActor private static func takeCalls(_ bytes: [UInt8]) {
        var held: [Duration] = []
        var acted = 0
        let service = ControlService(
            version: "0", status: { $0 == "none" ? nil : [.object([])] }, lastEvents: { [.null] },
            metrics: { "wifi_toggler_a 1\n" }, history: archive(of: bytes), watches: { $0 != "none" },
            cycle: { _ in
                acted += 1
                return true
            },
            hold: {
                held.append($1)
                return .done
            })
        let whole = result(of: [bytes[...]], mayAct: true, service)
        for size in Set([1, Int(bytes.first ?? 0), bytes.count / 2 + 1]) {
            let pieces = pieces(of: bytes, size)
            demand(result(of: pieces, mayAct: true, service) == whole, "pieces of \(size) matter")
        }
        demand(held.allSatisfy { $0 >= .zero && $0 <= .seconds(30 * 86_400) }, "\(held)")
        acted = 0
        held = []
        _ = result(of: [bytes[...]], mayAct: false, service)
        demand(acted == 0 && held.isEmpty, "somebody acted who may not")
    }

    private static func pieces(of bytes: [UInt8], _ size: Int) -> [ArraySlice<UInt8>] {
        stride(from: 0, to: bytes.count, by: max(size, 1)).map {
            bytes[$0..<min($0 + max(size, 1), bytes.count)]
        }
    }

    /// The current time, from which the ages in calls are counted back.
    private static let now: Int64 = 1_800_000_000_000

    /// Histories whose files have these bytes twice: as they are, and with correct checksums. If a client
    /// asks for all interfaces, the file of the second one, wlan1, ends with a read error.
    @MainActor private static func archive(of bytes: [UInt8]) -> HistoryArchive {
        let lines = bytes.split(separator: UInt8(ascii: "\n")).flatMap(Histories.sealed)
        return HistoryArchive(
            names: { $0 == "none" ? nil : $0.map { [$0] } ?? ["wlan0", "wlan1"] },
            open: { name in
                var pieces: [HistoryArchive.Piece] = [.later, .bytes(bytes), .bytes(lines)]
                if name == "wlan1" { pieces.append(.failed(name)) }
                return { pieces.isEmpty ? .end : pieces.removeFirst() }
            },
            instant: { TimeText.value(of: $0)?.milliseconds(now: now) }, wallTime: String.init)
    }

    /// Everything that is sent from the history, to its end.
    @MainActor private static func replies(of reading: HistoryReading) -> [UInt8] {
        var bytes: [UInt8] = []
        while true {
            switch reading.turn() {
            case .more(let part): bytes += part
            case .later: break
            case .over(let part): return bytes + part
            }
        }
    }

    /// Everything that a conversation leads to.
    private struct Result: Equatable {
        /// Everything that is sent.
        var bytes: [UInt8] = []
        /// Everything that is begun.
        var requests: [String] = []
    }

    /// What is sent must be complete JSON messages.
    @MainActor private static func result(
        of pieces: [ArraySlice<UInt8>], mayAct: Bool, _ service: ControlService
    ) -> Result {
        var session = ControlSession(mayAct: mayAct)
        var result = Result()
        // Like the server: calls that are left in the session's buffer are answered before new bytes are
        // taken.
        var rest = pieces[...]
        var hasMore = false
        while hasMore || !rest.isEmpty {
            let answer = session.take(hasMore ? [] : rest.removeFirst(), service)
            hasMore = answer.hasMore
            result.bytes += answer.bytes
            if let reading = answer.reading { result.bytes += replies(of: reading) }
            for request in answer.requests {
                result.requests.append("\(request)")
                demand(mayAct, "somebody acted who may not")
                demand(request.interface != "none", "an interface that nobody watches")
                if case .toggle(let delay?) = request.kind {
                    demand(delay >= .zero && delay <= .seconds(60), "\(delay)")
                }
            }
            if answer.isOver { break }
        }
        demand(result.bytes.isEmpty || result.bytes.last == 0, "half a message")
        for message in result.bytes.split(separator: 0) {
            demand(Varlink.Reply(message) != nil, "no reply: \(String(decoding: message, as: UTF8.self))")
        }
        return result
    }

    /// The client's side.
    @MainActor private static func takeReply(_ bytes: ArraySlice<UInt8>) {
        if case .end(_, let status, _)? = try? ControlCall.reply(bytes) {
            demand((0...255).contains(status), "\(status)")
        }
        do throws(ControlCall.Problem) {
            for interface in try ControlCall.interfaces(in: bytes) {
                let text = StatusText(interface)
                demand(text.lines.count >= 2, "\(text.lines.count) lines")
                let again = try? JSONReader.value(of: Array(interface.line.utf8)[...])
                demand(again?.line == interface.line, "written otherwise than read")
                demandPrintable(interface.line)
            }
        } catch {
            demand(error == .nonsense || !bytes.isEmpty, "a refusal of nothing")
        }
    }
}
