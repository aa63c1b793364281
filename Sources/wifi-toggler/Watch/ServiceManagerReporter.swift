import Model
import Platform
import Reporting
import Service
import Toggling

/// Tells the service manager (sd_notify(3)) that the service is ready, that it still works, and what it has
/// found.
final class ServiceManagerReporter {
    private let notifier: ServiceNotifier
    private var watchdog: TimerSource?
    private(set) var isReady = false
    /// The status that was reported last.
    private var shown = ""

    init(environment: [String: String]) { notifier = ServiceNotifier(environment: environment) }

    /// Reports that the first check of every interface is over. Call it once.
    func becomeReady(watching names: [String]) {
        isReady = true
        let names = names.joined(separator: ", ")
        notifier.ready(status: names.isEmpty ? "waiting for a Wi-Fi interface" : "watching \(names)")
    }

    /// Reports a verdict, unless it equals the last one.
    func show(_ verdict: Verdict, of interfaceRef: InterfaceRef) {
        guard isReady, notifier.isHeard else { return }
        let status = "\(interfaceRef.name): \(verdict.headline)"
        if status == shown { return }
        shown = status
        notifier.status(status)
    }

    func startWatchdog() {
        guard let interval = notifier.watchdogInterval else { return }
        watchdog = TimerSource { [unowned self] in
            notifier.watchdog()
            watchdog?.schedule(after: interval / 2)
        }
        watchdog?.schedule(after: interval / 2)
    }

    func reloading() { notifier.reloading() }
    func reloaded() { notifier.ready() }
    func stopping() { notifier.stopping() }
}
