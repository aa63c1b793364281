import Invocation
import Model

/// A command line without the program's name, one argument a line (or between NULs, as in
/// /proc/PID/cmdline).
enum ArgumentLists {
    @MainActor static func take(_ bytes: [UInt8]) {
        let arguments = bytes.split(omittingEmptySubsequences: false) { $0 == 0 || $0 == UInt8(ascii: "\n") }
            .map { String(decoding: $0, as: UTF8.self) }
        let invocation = read(arguments)
        // getopt_long(3) has its state in global variables: nothing of one parse may affect the next.
        demand(read(arguments) == invocation, "another meaning the second time")
        guard case .success(.perform(let request)) = invocation else { return }
        demand(request.interfaces.allSatisfy { !$0.text.isEmpty }, "an interface without a name")
        demand((Duration.zero...Duration.seconds(3600)).contains(request.wait), "wait: \(request.wait)")
        ConfigurationTexts.check(request.settings(for: "wlan0"))
    }

    @MainActor private static func read(_ arguments: [String]) -> Result<Invocation, UsageError> {
        let result = Result { () throws(UsageError) in try Invocation.parse(arguments) }
        if case .failure(let error) = result {
            // The one sentence of three lines does not depend on the arguments.
            if error != .commandMissing { demandPrintable(error.description) }
        }
        if case .success(.help(let command)) = result {
            demand(!Help.text(for: command).isEmpty, "no help")
        }
        return result
    }
}
