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

    /// Reads the file. A usual file that is missing is no configuration; a bad one leaves what was read before.
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

    func apply(to request: Request) -> Request { file.map(request.merging) ?? request }
}
