import Invocation
import Platform
import Service
import Toggling

/// Keeps what was learned in `/var/lib/wifi-toggler`: a file for each interface, whose lock its writer holds.
final class MemoryKeeper {
    private let directory: String
    private let desk: Desk
    private var hasComplained = false

    init(_ request: Request, _ desk: Desk) {
        directory = request.stateDirectory
        self.desk = desk
    }

    /// What earlier runs have learned; nothing, where that cannot be read.
    func acquaintances(of interface: String) -> Acquaintances { text(of: interface).acquaintances }

    /// A disk that takes nothing costs the memory and stops nothing.
    func remember(_ subject: Subject, _ acquaintances: Acquaintances) {
        let file = file(subject.name)
        do throws(SystemError) {
            try file.write(text(of: subject.name).bytes(for: acquaintances))
        } catch {
            complain("could not write \(file.path): \(error.words) (give another directory with --state-dir)")
        }
    }

    private func text(of interface: String) -> AcquaintanceText {
        let file = file(interface)
        var bytes: [UInt8]?
        do throws(SystemError) { bytes = try file.read() } catch {
            complain("could not read \(file.path): \(error.words)")
        }
        return AcquaintanceText(
            bytes, now: Instant(nanoseconds: BootClock.now()), wallNow: WallClock.seconds())
    }

    private func file(_ interface: String) -> StateFile { StateFile("\(interface).learned", in: directory) }

    private func complain(_ words: String) {
        if !hasComplained { desk.note(.warning, words) }
        hasComplained = true
    }
}
