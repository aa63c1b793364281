import Invocation
import Model
import Reporting

/// The configuration of a running service: the command line and the configuration file, which can be read
/// again.
final class ServiceConfiguration {
    private(set) var request: Request
    private var source: ConfigurationFiles
    var file: ConfigurationFile? { source.file }
    var drivers: DriverTable { source.drivers }
    /// Whether this is a dry run (`--dry-run`, or `dry-run = yes` in the section `[default]`). This is fixed
    /// at the start: a dry run has no locks, no privileges and no files, so a reload cannot make it a real
    /// run, not even for one interface.
    let isDryRun: Bool

    init(_ request: Request, _ source: ConfigurationFiles) {
        self.request = request
        self.source = source
        isDryRun = source.wantsDryRun(of: request)
    }

    /// What is odd about the settings, in whole sentences.
    var warnings: [String] { source.warnings(of: request) }

    /// Reads the files again. If one cannot be used, or changes `dry-run` in `[default]`, the old
    /// configuration stays.
    /// - Returns: a sentence about settings that were not applied; nil if all were.
    func readAgain() throws(ConfigurationFiles.Problem) -> String? {
        var fresh = source
        try fresh.read()
        try fresh.check(isDryRun: isDryRun, request)
        source = fresh
        let (next, remark) = fresh.applyAgain(to: request)
        request = next
        return remark
    }

    /// Whether to watch an interface.
    func isMeant(_ candidate: Candidate) -> Bool {
        guard isNamed(candidate.link.name) else { return false }
        return candidate.isStation
            || !request.interfaces.isEmpty && settings(for: candidate.link).allowsAnyInterface
    }

    /// Whether the command line names an interface. If it names none, every interface matches.
    func isNamed(_ name: String) -> Bool {
        request.interfaces.isEmpty || request.interfaces.contains { $0.matches(name) }
    }

    /// The named interfaces that do not exist.
    func absentNames(_ candidates: [Candidate]) -> [String] {
        let present = Set(candidates.map(\.link.name))
        return request.interfaces.filter { !$0.isGlob && !present.contains($0.text) }.map(\.text)
    }

    /// Replaces an alternative name on the command line (IFLA_ALT_IFNAME, ip-link(8)) by the name of the
    /// interface, because the kernel announces changes with the name.
    func use(_ name: String, insteadOf alternative: String) {
        guard name != alternative, let pattern = try? InterfacePattern(name) else { return }
        request.interfaces.removeAll { $0.text == alternative || $0 == pattern }
        request.interfaces.append(pattern)
    }

    func settings(for link: Link) -> Settings { permitted(request.settings(for: link, file: source.file)) }

    func settings(of watched: WatchedInterface) -> Settings {
        permitted(
            request.settings(for: watched.name, addresses: watched.addresses, file: source.file))
    }

    /// The quiet hours of an interface. Every check calls this, so the options are evaluated only if quiet
    /// hours are configured at all.
    func quietHours(of link: Link) -> [QuietWindow] {
        request.mayBeQuiet(file: source.file) ? settings(for: link).quietHours : []
    }

    /// Enforces a dry run: without locks, nothing may be changed, even if a section of the file allows it.
    private func permitted(_ settings: Settings) -> Settings {
        var settings = settings
        settings.isDryRun = settings.isDryRun || isDryRun
        return settings
    }
}
