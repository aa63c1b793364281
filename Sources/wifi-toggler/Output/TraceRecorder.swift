import Invocation
import Model
import Platform
import Reporting
import Service
import Toggling

/// Writes a trace (`--record`). If a write fails, the recording ends with one message, and the program
/// continues.
final class TraceRecorder {
    private let path: String
    private let printer: ReportPrinter
    private var file: RecordFile?

    /// Creates the file, or appends to the traces in it. Ends the process if that fails; nothing was changed
    /// before.
    init(_ path: String, _ printer: ReportPrinter, _ console: Console) {
        self.path = path
        self.printer = printer
        do throws(RecordFile.Problem) {
            let file = try RecordFile(path, start: Trace.start, largest: Trace.largest)
            try file.append(Array(Trace.title(program: Help.version).utf8))
            self.file = file
        } catch {
            console.fail(
                "\(path): \(Self.description(error)) (give another file with --record)", .cannotWrite)
        }
    }

    func begin(_ beginning: Trace.Beginning, _ interfaceRef: InterfaceRef, at now: Instant) {
        write { Trace.beginning(beginning, Self.stamp(interfaceRef, now)) }
    }

    func take(_ event: Event, _ effects: [Effect], _ interfaceRef: InterfaceRef, at now: Instant) {
        write { Trace.turn(event, effects, Self.stamp(interfaceRef, now)) }
    }

    private static func stamp(_ interfaceRef: InterfaceRef, _ now: Instant) -> Trace.Stamp {
        Trace.Stamp(at: now, id: interfaceRef.id, interface: interfaceRef.name)
    }

    private func write(_ text: () -> String) {
        guard let file else { return }
        let record = Array(text().utf8)
        let lines = record.split(separator: UInt8(ascii: "\n"))
        do throws(RecordFile.Problem) {
            guard lines.allSatisfy({ $0.count <= Trace.longestLine }) else { throw .full }
            try file.append(record)
        } catch {
            self.file = nil
            printer.note(
                .error, "\(path): \(Self.description(error)); the recording ends here; the program continues")
        }
    }

    private static func description(_ problem: RecordFile.Problem) -> String {
        switch problem {
        case .refused(let error): error.description
        case .foreign: "it is not a trace, or its last line is incomplete"
        case .full:
            "the trace would be larger than \(Trace.largest >> 20) MiB,"
                + " or one line larger than \(Trace.longestLine >> 20) MiB"
        }
    }
}
