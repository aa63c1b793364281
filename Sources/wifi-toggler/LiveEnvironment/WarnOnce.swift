import Reporting
import Service

/// That files in the state directory cannot be read or written is told once, whoever meets it first: nothing
/// depends on them.
final class WarnOnce {
    private let printer: ReportPrinter
    private var isMade = false

    init(_ printer: ReportPrinter) { self.printer = printer }

    func make(_ words: String) {
        if !isMade { printer.note(.warning, words) }
        isMade = true
    }
}
