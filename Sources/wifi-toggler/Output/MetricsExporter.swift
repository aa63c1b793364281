import Invocation
import Model
import Platform
import Reporting
import Service
import Toggling

/// Writes the file of metrics (`--metrics`). There is none where nobody asked for it.
final class MetricsExporter {
    let place: MetricsFile
    private let file: PublishedFile
    private let printer: ReportPrinter
    /// The whole page.
    private let text: () -> String
    private var cadence = MetricsCadence()
    private var timer: TimerSource?
    private var isFailing = false

    /// Takes away what services have left that were killed: with it some series might stand there twice, and
    /// whoever collects them would take none at all.
    init(_ place: MetricsFile, _ printer: ReportPrinter, _ text: @escaping () -> String) {
        self.place = place
        self.printer = printer
        self.text = text
        file = PublishedFile(place.path)
        file.removeAbandoned(named: place.isKin, beginning: Array(MetricsPage.beginning.utf8))
    }

    /// Something was told: it is written down soon, never inside this call.
    func note(isNews: Bool) {
        guard let due = cadence.due(isNews: isNews, at: Instant(nanoseconds: BootClock.now())) else { return }
        let timer = timer ?? TimerSource { [unowned self] in write() }
        self.timer = timer
        timer.schedule(atBootNanoseconds: due.nanoseconds)
    }

    /// What is not true any more is not left behind.
    func end() {
        timer?.cancel()
        file.remove()
    }

    /// A disk that takes nothing stops nothing; it is said once, until it takes something again.
    private func write() {
        cadence.wrote(at: Instant(nanoseconds: BootClock.now()))
        do throws(SystemError) {
            try file.write(Array(text().utf8))
            isFailing = false
        } catch {
            if !isFailing {
                printer.note(
                    .warning,
                    "could not write the metrics to \(place.path): \(error.words) (give another file with --metrics)"
                )
            }
            isFailing = true
        }
    }
}
