import Reporting

/// Warns once that files in the state directory cannot be read or written, whichever part finds out first:
/// nothing depends on them.
final class WarnOnce {
    private let printer: ReportPrinter
    private var isMade = false

    init(_ printer: ReportPrinter) { self.printer = printer }

    func make(_ description: String) {
        if !isMade { printer.note(.warning, description) }
        isMade = true
    }
}
