import Glibc
import Invocation
import Platform

/// The configuration file of this run: where it is, and what it said when it was read last.
struct ConfigurationSource {
    private let path: String
    private let mustExist: Bool
    private(set) var file: ConfigurationFile?

    /// Why the file cannot be used, in one line with the remedy.
    struct Problem: Error {
        var sentence: String
    }

    init(_ request: Request) {
        path = Output.escaped(request.configurationFile)
        mustExist = request.namesConfigurationFile
    }

    /// Reads the file. A usual file that is missing is no configuration; a bad one leaves what was read
    /// before.
    mutating func read() throws(Problem) {
        let text: String?
        do {
            text = try TextFile.read(path)
        } catch {
            throw Problem(sentence: "\(path): \(error.words) (give another file with --config)")
        }
        guard let text else {
            if mustExist { throw Problem(sentence: "\(path): no such file (give another with --config)") }
            file = nil
            return
        }
        do {
            file = try ConfigurationFile.parse(text, path: path)
        } catch {
            throw Problem(sentence: error.sentence)
        }
    }

    /// Whether the command line or the section `[default]` says `dry-run`.
    func wantsDryRun(of request: Request) -> Bool { request.settings(for: "", file: file).isDryRun }

    /// For a service that runs.
    /// - Throws: it was not started as that which the file makes of it now.
    func check(isDryRun: Bool, _ request: Request) throws(Problem) {
        let isWanted = wantsDryRun(of: request)
        guard isWanted != isDryRun else { return }
        throw Problem(
            sentence: "\(path): dry-run: '\(isWanted ? "yes" : "no")' in [default]"
                + " is taken over only at the start (restart the service)")
    }

    func apply(to request: Request) -> Request { request.merging(file) }

    /// For a service that runs: what it goes by from now on, and a sentence on what it does not take over;
    /// nil: all of it.
    func applyAgain(to request: Request) -> (request: Request, remark: String?) {
        let fresh = apply(to: request)
        let next = request.takingOver(fresh)
        let left = next.keys(differingFrom: fresh)
        if left.isEmpty { return (next, nil) }
        let keys = left.joined(separator: ", ")
        return (next, "\(path): taken over only at the start: \(keys) (restart the service)")
    }
}
