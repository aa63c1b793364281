import Invocation
import Model
import Platform
import Reporting

/// Writes the metrics file (`--metrics`), if one is configured.
final class MetricsExporter {
    let place: MetricsFile
    private let file: PublishedFile
    private let printer: ReportPrinter
    /// Creates the content of the file.
    private let text: () -> String
    private var cadence = MetricsCadence()
    private var timer: TimerSource?
    private var isFailing = false

    /// Removes the files that killed services have left. Otherwise the same series might exist in two files,
    /// and node_exporter would reject all of them.
    init(_ place: MetricsFile, _ printer: ReportPrinter, _ text: @escaping () -> String) {
        self.place = place
        self.printer = printer
        self.text = text
        file = PublishedFile(place.path)
        file.removeAbandoned(named: place.isKin, beginning: Array(MetricsPage.beginning.utf8))
    }

    /// Schedules a write of what the record tells, if that is due. Never writes inside this call.
    func note(_ record: Record) { note(isNews: cadence.isNews(record)) }

    func note(isNews: Bool) {
        guard let due = cadence.due(isNews: isNews, at: .now) else { return }
        let timer = timer ?? TimerSource { [unowned self] in write() }
        self.timer = timer
        timer.schedule(at: due)
    }

    /// Removes the file, so that no outdated metrics remain.
    func end() {
        timer?.cancel()
        file.remove()
    }

    /// Writes the file. An error, such as a full disk, is logged once, until a write succeeds again.
    private func write() {
        cadence.wrote(at: .now)
        do throws(SystemError) {
            try file.write(Array(text().utf8))
            isFailing = false
        } catch {
            if !isFailing {
                printer.note(
                    .warning,
                    "could not write the metrics to \(place.path): \(error.description) (give another file with --metrics)"
                )
            }
            isFailing = true
        }
    }
}
