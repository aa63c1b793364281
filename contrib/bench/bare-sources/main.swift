// One bounce by the program's own Netlink module and nothing else: no lock, no snapshot, no guard. What is left beside
// `ip -batch` and C is what Swift, its runtime and libnl cost.
// usage: bare INTERFACE

import Glibc
import Netlink
import Toggling

func fail(_ words: String) -> Never {
    let line = Array("bare: \(words)\n".utf8)
    _ = write(STDERR_FILENO, line, line.count)
    exit(EXIT_FAILURE)
}

guard CommandLine.argc == 2, let name = CommandLine.unsafeArgv[1] else { fail("usage: bare INTERFACE") }
let index = InterfaceIndex(rawValue: Int32(bitPattern: if_nametoindex(name)))
guard index.rawValue > 0 else { fail("no such interface") }
do throws(Failure) {
    var kernel = try NetlinkSession()
    try kernel.setAdministrativeState(up: false, of: index)
    try kernel.setAdministrativeState(up: true, of: index)
} catch {
    fail(error.words)
}
