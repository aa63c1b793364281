import Model
import Testing
import Toggling

@testable import Reporting

/// Histories of one test: the content of the files, and how they are read.
final class FakeArchive {
    var files: [String: [UInt8]]
    /// The size of one read, in bytes.
    var piece = 4096
    /// How often the disk is not ready while each file is read.
    var pauses = 0
    /// An interface that is watched and has no history.
    var watched = "wlan9"
    var failure: String?
    /// How many pieces were requested.
    private(set) var asked = 0

    init(_ files: [String: [UInt8]] = [:]) { self.files = files }

    var archive: HistoryArchive {
        HistoryArchive(
            names: { name in
                guard let name else { return self.files.keys.sorted() }
                return self.files[name] != nil ? [name] : name == self.watched ? [] : nil
            },
            open: { self.reader(of: $0) },
            instant: { text in text == "moment" ? HistorySamples.wall + 60_000_000 : nil },
            wallTime: HistoryShownTests.wallTime)
    }

    private func reader(of name: String) -> () -> HistoryArchive.Piece {
        var rest = (files[name] ?? [])[...]
        var pauses = pauses
        return {
            self.asked += 1
            if let failure = self.failure { return .failed(failure) }
            if pauses > 0 {
                pauses -= 1
                return .later
            }
            pauses = self.pauses
            defer { rest = rest.dropFirst(self.piece) }
            return rest.isEmpty ? .end : .bytes(Array(rest.prefix(self.piece)))
        }
    }

    /// Everything that a client receives: the parsed replies.
    struct Told {
        var replies: [Varlink.Reply] = []
        /// The size of each reply, in bytes.
        var sizes: [Int] = []
        var pauses = 0
        /// Turns without a reply and without a pause.
        var silentTurns = 0

        var records: [String] {
            replies.flatMap { reply -> [String] in
                if case .parameters(let json, _) = reply {
                    json["records"]?.elements.map(\.line) ?? []
                } else {
                    []
                }
            }
        }

        var leftOut: [Int64?] {
            replies.map { reply in
                if case .parameters(let json, _) = reply { json["left_out"]?.whole } else { nil }
            }
        }

        /// For each reply, whether more replies follow; nil: the reply is an error.
        var continues: [Bool?] {
            replies.map { if case .parameters(_, let continues) = $0 { continues } else { nil } }
        }

        var error: (name: String, reason: String?)? {
            if case .error(let name, let json)? = replies.last { (name, json["reason"]?.string) } else { nil }
        }
    }

    private static let mostTurns = 100_000

    /// Runs all turns.
    func tell(_ names: [String]? = nil, since: Int64? = nil, more: Bool = true) throws -> Told {
        let names = names ?? files.keys.sorted()
        let reading = HistoryReading(archive, of: names, since: since, wantsMore: more)
        var told = Told()
        for _ in 0..<Self.mostTurns {
            let before = asked
            switch reading.turn() {
            case .more([]): told.silentTurns += 1
            case .more(let bytes): try told.take(bytes)
            case .later: told.pauses += 1
            case .over(let bytes):
                try told.take(bytes)
                return told
            }
            #expect(asked <= before + 1, "more than a piece in one turn")
        }
        throw Endless()
    }

    struct Endless: Error {}
}

extension FakeArchive.Told {
    fileprivate mutating func take(_ bytes: [UInt8]) throws {
        #expect(bytes.last == 0 && !bytes.dropLast().contains(0))
        sizes.append(bytes.count)
        replies.append(try #require(Varlink.Reply(bytes.dropLast())))
    }
}
