import Model
import Platform
import Reporting
import Service
import Toggling

/// Reloading the configuration of a running service.
extension WatchService {
    /// Reads the file again. If it cannot be used, or changes what only a start can change, the old
    /// configuration stays.
    func reload() {
        notifier.reloading()
        var fresh = configuration
        do {
            try fresh.read()
            try fresh.check(isDryRun: isDryRun, request)
            configuration = fresh
            let (next, remark) = fresh.applyAgain(to: request)
            request = next
            if let remark { printer.note(.warning, remark) }
            live.commandUser = request.commandUser
            if !isDryRun {
                keepMetrics()
                hooks?.use(request.hooksDirectory)
            }
            for id in watched.keys.sorted() { reconfigure(id) }
            printer.note(.notice, "configuration read again", about: nil, .reloaded)
        } catch {
            let words = "\(error.sentence); the old configuration stays"
            printer.note(.error, words, about: nil, .reloadRefused)
        }
        notifier.ready()
    }

    /// Keeps the metrics file of the current configuration.
    func keepMetrics() {
        guard metrics?.place != request.metricsFile else { return }
        metrics?.end()
        metrics = request.metricsFile.map {
            MetricsExporter($0, printer) { [unowned self] in metricsText }
        }
        metrics?.note(isNews: true)
    }
}
