import Foundation
import Glibc

/// Small programs under the names of those that owners are asked with, in a directory of root's, removed with it.
final class OwnerPrograms {
    let path = "/tmp/owner-programs-\(UUID().uuidString)"

    init() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        chmod(path, 0o755)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// A script of the shell that keeps what it was called with. It is copied into place by another process: while a
    /// program is open for writing, be it in a child that another test has just begun, it cannot be run (ETXTBSY).
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
