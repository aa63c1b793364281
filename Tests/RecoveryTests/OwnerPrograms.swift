import Foundation
import TestSupport

/// Scripts with the names of the owners' command-line programs, in a trusted directory, which is removed with
/// the object.
final class OwnerPrograms {
    private let scripts: CommandScripts
    var path: String { scripts.path }

    init() throws { scripts = try CommandScripts() }

    /// Writes a shell script that records its arguments, and then runs this text.
    func write(_ name: String, _ text: String) throws {
        let record = #"echo "$(/usr/bin/basename "$0") $*" >> ${0%/*}/calls"#
        _ = try scripts.write("\(record)\n\(text)", to: name)
    }

    var calls: [String] {
        let text = try? String(contentsOfFile: "\(path)/calls", encoding: .utf8)
        return (text ?? "").split(separator: "\n").map(String.init)
    }
}
