import Reporting

/// Warns once that files in the state directory cannot be read or written. One warning is enough, because the
/// program works without these files.
final class WarnOnce {
    private let printer: ReportPrinter
    private var isMade = false

    init(_ printer: ReportPrinter) { self.printer = printer }

    func make(_ description: String) {
        if !isMade { printer.note(.warning, description) }
        isMade = true
    }
}
