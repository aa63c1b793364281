import Glibc
import Invocation
import Platform

/// The configuration file of this run: its path, and its content when it was read last.
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

    /// Reads the file. A missing default file means no configuration; after an error the earlier content
    /// stays.
    mutating func read() throws(Problem) {
        let text: String?
        do {
            text = try SmallFile.text(path)
        } catch {
            throw Problem(sentence: "\(path): \(error.description) (give another file with --config)")
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

    /// Whether the command line or the section `[default]` sets `dry-run`.
    func wantsDryRun(of request: Request) -> Bool { request.settings(for: "", file: file).isDryRun }

    /// For a running service.
    /// - Throws: the file changes what a service is only at its start.
    func check(isDryRun: Bool, _ request: Request) throws(Problem) {
        let isWanted = wantsDryRun(of: request)
        guard isWanted != isDryRun else { return }
        throw Problem(
            sentence: "\(path): dry-run: '\(isWanted ? "yes" : "no")' in [default]"
                + " is taken over only at the start (restart the service)")
    }

    func apply(to request: Request) -> Request { request.merging(file) }

    /// For a running service: the new request, and a sentence about settings that it does not take over; nil:
    /// it takes over all.
    func applyAgain(to request: Request) -> (request: Request, remark: String?) {
        let fresh = apply(to: request)
        let next = request.takingOver(fresh)
        let left = next.keys(differingFrom: fresh)
        if left.isEmpty { return (next, nil) }
        let keys = left.joined(separator: ", ")
        return (next, "\(path): taken over only at the start: \(keys) (restart the service)")
    }
}
