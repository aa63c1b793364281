import Foundation
import Glibc

/// Small programs with the names of the owners' command line tools, in a directory of root's that is removed
/// with the object.
final class OwnerPrograms {
    let path = "/tmp/owner-programs-\(UUID().uuidString)"

    init() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        chmod(path, 0o755)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// A shell script that records its arguments. Another process copies it into place: a program cannot be
    /// executed (ETXTBSY) while it is open for writing, even in a child that another test has just started.
    func write(_ name: String, _ text: String) throws {
        let script = """
            #!/bin/sh
            echo "$(/usr/bin/basename "$0") $*" >> ${0%/*}/calls
            \(text)

            """
        let file = "\(path)/\(name)"
        try Data(script.utf8).write(to: URL(filePath: file + ".new"))
        let copy = try Process.run(URL(filePath: "/bin/cp"), arguments: [file + ".new", file])
        copy.waitUntilExit()
        try FileManager.default.removeItem(atPath: file + ".new")
        chmod(file, 0o755)
    }

    var calls: [String] {
        let text = try? String(contentsOfFile: "\(path)/calls", encoding: .utf8)
        return (text ?? "").split(separator: "\n").map(String.init)
    }
}
