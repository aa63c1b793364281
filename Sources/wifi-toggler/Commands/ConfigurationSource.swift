import Glibc
import Invocation
import Model
import Platform

/// The configuration file of this run and the driver files: their paths, and their content when they were read last.
struct ConfigurationSource {
    private let path: String
    private let mustExist: Bool
    private(set) var file: ConfigurationFile?
    /// Of the package and of the administrator.
    private(set) var drivers = DriverTable()

    private static let driverFile = "drivers.conf"
    private static let ownDirectory = "/etc/wifi-toggler"

    /// Why a file cannot be used, in one line with the remedy.
    struct Problem: Error {
        var sentence: String
    }

    init(_ request: Request) {
        path = Output.escaped(request.configurationFile)
        mustExist = request.namesConfigurationFile
    }

    /// Reads the files, the configuration file first. A missing default file means no configuration, a missing driver
    /// file no rules; after an error the earlier content stays, of the file with the error and of those after it.
    mutating func read() throws(Problem) {
        try readConfiguration()
        var installed: [DriverRule] = []
        if let directory = HelperLocator.sharedDirectory { installed = try Self.driverRules(in: directory) }
        drivers = DriverTable(installed: installed, own: try Self.driverRules(in: Self.ownDirectory))
    }

    private static func driverRules(in directory: String) throws(Problem) -> [DriverRule] {
        let path = Output.escaped("\(directory)/\(driverFile)")
        let text: String?
        do throws(SystemError) {
            text = try TrustedFile.text(driverFile, in: directory)
        } catch {
            throw Problem(sentence: "\(path): \(TrustedFile.description(of: error))")
        }
        do throws(DriverFileError) {
            guard let text else { return [] }
            return try DriverFile.parse(text, path: path)
        } catch {
            throw Problem(sentence: error.sentence)
        }
    }

    private mutating func readConfiguration() throws(Problem) {
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
