import Invocation
import Model
import Reporting
import Toggling

/// What a running service was told: the command line, and the configuration file, which it can read again.
final class ServiceConfiguration {
    private(set) var request: Request
    private var source: ConfigurationSource
    var file: ConfigurationFile? { source.file }
    var drivers: DriverTable { source.drivers }
    /// `--dry-run`, or `dry-run = yes` in the section `[default]`, as it was at the start. A dry run has no
    /// locks, no privileges and no files: no reload can turn it into a real run, not even for one interface.
    let isDryRun: Bool

    init(_ request: Request, _ source: ConfigurationSource) {
        self.request = request
        self.source = source
        isDryRun = source.wantsDryRun(of: request)
    }

    /// Reads the files again. If one cannot be used, or changes what only a start can change, the old
    /// configuration stays.
    /// - Returns: a sentence about settings that are not taken over; nil: all are.
    func readAgain() throws(ConfigurationSource.Problem) -> String? {
        var fresh = source
        try fresh.read()
        try fresh.check(isDryRun: isDryRun, request)
        source = fresh
        let (next, remark) = fresh.applyAgain(to: request)
        request = next
        return remark
    }

    /// Whether the interface is to be watched.
    func isMeant(_ candidate: Candidate) -> Bool {
        guard isNamed(candidate.link.name) else { return false }
        return candidate.isStation
            || !request.interfaces.isEmpty && settings(for: candidate.link).allowsAnyInterface
    }

    /// Whether the command line names it, or names none.
    func isNamed(_ name: String) -> Bool {
        request.interfaces.isEmpty || request.interfaces.contains { $0.matches(name) }
    }

    /// The interfaces that the command line names and that do not exist.
    func absentNames(_ candidates: [Candidate]) -> [String] {
        let present = Set(candidates.map(\.link.name))
        return request.interfaces.filter { !$0.isGlob && !present.contains($0.text) }.map(\.text)
    }

    func settings(for link: Link) -> Settings { permitted(request.settings(for: link, file: source.file)) }

    func settings(of watched: WatchedInterface) -> Settings {
        permitted(
            request.settings(for: watched.name, addresses: watched.addresses, file: source.file))
    }

    /// Every check calls this: if no quiet hours are configured, the options need not be evaluated.
    func quietHours(of link: Link) -> [QuietWindow] {
        request.mayBeQuiet(file: source.file) ? settings(for: link).quietHours : []
    }

    /// Without a lock nothing may be changed, even if a more specific section allows it.
    private func permitted(_ settings: Settings) -> Settings {
        var settings = settings
        settings.isDryRun = settings.isDryRun || isDryRun
        return settings
    }
}
