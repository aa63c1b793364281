import Glibc
import Testing

/// What becomes of interfaces that appear when it does not suit.
@Suite("An interface that appears", .needsRoot)
struct AppearingTests {
    @Test("while the kernel cannot be asked about it: taken up as soon as it can")
    func unjudged() throws {
        let link = try VirtualLink()
        let program = try link.start(
            "run", ["--verbose", "--interval", "1h", "--probe", "none"], interface: "fresh*")
        try eventually("nothing is there yet", detail: program.transcript) {
            program.standardError.contains("waiting for one to appear")
        }
        try ForeignSockets.misdirectGeneric(of: program.processIdentifier)
        try link.nearIP("link set \(VirtualLink.near) name fresh0")
        // The question is asked and fails at once; long enough for it to be asked again, too.
        usleep(Self.inVain)
        #expect(!program.standardError.contains("fresh0"), "\(program.transcript)")
        try ForeignSockets.misdirectGeneric(of: program.processIdentifier, port: 0)
        try eventually("it is looked after", detail: program.transcript) {
            program.standardError.contains("fresh0: inquiring → waiting")
        }
    }

    /// In microseconds.
    private static let inVain: UInt32 = 1_500_000
}
