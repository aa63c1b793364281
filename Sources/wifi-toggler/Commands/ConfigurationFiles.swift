import Glibc
import Invocation
import Model
import Platform

/// The configuration file and the driver files of this run: their paths, and their content at the last
/// reading.
struct ConfigurationFiles {
    private let path: String
    private let mustExist: Bool
    private(set) var file: ConfigurationFile?
    /// The rules of the driver files of the package and of the administrator.
    private(set) var drivers = DriverTable()

    /// The path of a configuration file that means: use none, not even the default one.
    private static let nothing = "/dev/null"
    private static let driverFile = "drivers.conf"
    private static let ownDirectory = "/etc/wifi-toggler"

    /// Why a file cannot be used, in one line that includes the remedy.
    struct Problem: Error {
        var description: String
    }

    init(_ request: Request) {
        path = Output.escaped(request.configurationFile)
        mustExist = request.namesConfigurationFile
    }

    /// Reads the files, the configuration file first. If the default configuration file is missing, there is
    /// no configuration; if a driver file is missing, it has no rules. After an error in the configuration
    /// file, everything stays as it was before the call; after an error in a driver file, the rules stay.
    /// - Throws: a file cannot be read, or is invalid.
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
            throw Problem(description: "\(path): \(TrustedFile.description(of: error))")
        }
        do throws(DriverFileError) {
            guard let text else { return [] }
            return try DriverFile.parse(text, path: path)
        } catch {
            throw Problem(description: error.description)
        }
    }

    private mutating func readConfiguration() throws(Problem) {
        if path == Self.nothing {
            file = nil
            return
        }
        let text: String?
        do {
            text = try SmallFile.text(path)
        } catch {
            let why = SmallFile.description(of: error)
            throw Problem(description: "\(path): \(why) (give another file with --config)")
        }
        guard let text else {
            if mustExist { throw Problem(description: "\(path): no such file (give another with --config)") }
            file = nil
            return
        }
        do {
            file = try ConfigurationFile.parse(text, path: path)
        } catch {
            throw Problem(description: error.description)
        }
    }

    /// Whether the command line or the section `[default]` sets `dry-run`.
    func wantsDryRun(of request: Request) -> Bool { request.settings(for: "", file: file).isDryRun }

    /// Checks the files for a running service.
    /// - Throws: the file changes `dry-run` in `[default]`, which a service can change only at its start.
    func check(isDryRun: Bool, _ request: Request) throws(Problem) {
        let isWanted = wantsDryRun(of: request)
        guard isWanted != isDryRun else { return }
        throw Problem(
            description: "\(path): dry-run: '\(isWanted ? "yes" : "no")' in [default]"
                + " takes effect only when the service starts (restart the service)")
    }

    func apply(to request: Request) -> Request { request.merging(file) }

    /// What is odd about the settings of a service, in whole sentences.
    func warnings(of request: Request) -> [String] { request.warnings(file).map(\.description) }

    /// Applies the files in a running service. Returns the new request, and a sentence about settings that
    /// the service cannot change while it runs; nil if there are none.
    func applyAgain(to request: Request) -> (request: Request, remark: String?) {
        let fresh = apply(to: request)
        let next = request.takingOver(fresh)
        let left = next.keys(differingFrom: fresh)
        if left.isEmpty { return (next, nil) }
        let keys = left.joined(separator: ", ")
        return (
            next,
            "\(path): these keys take effect only when the service starts: \(keys) (restart the service)"
        )
    }
}
