import Invocation
import Platform
import Service
import Toggling

/// Keeps what was learned in `/var/lib/wifi-toggler`: files for each interface, whose lock their writer holds.
final class MemoryKeeper {
    private let folder: Folder
    private let complaint: StateComplaint

    init(_ folder: Folder, _ complaint: StateComplaint) {
        self.folder = folder
        self.complaint = complaint
    }

    /// What earlier runs have learned; nothing, where that cannot be read.
    func acquaintances(of interface: String) -> Acquaintances { text(of: interface).acquaintances }

    /// The bounces of earlier runs; none, where that cannot be read.
    func bounces(of interface: String) -> RestraintMemory {
        RestraintText.memory(content(restraint(interface)), now: now, wallNow: WallClock.seconds())
    }

    /// A disk that takes nothing costs the memory and stops nothing.
    func remember(_ subject: Subject, _ acquaintances: Acquaintances) {
        write(text(of: subject.name).bytes(for: acquaintances), to: learned(subject.name))
    }

    /// The same. Somebody waits for a bounce meanwhile, and a disk takes a quarter of its time: after a power cut
    /// older bounces count, or none.
    func remember(_ subject: Subject, _ memory: RestraintMemory) {
        write(
            RestraintText.bytes(memory, now: now, wallNow: WallClock.seconds()), to: restraint(subject.name),
            outlivesPower: false)
    }

    private func text(of interface: String) -> AcquaintanceText {
        AcquaintanceText(content(learned(interface)), now: now, wallNow: WallClock.seconds())
    }

    // MARK: Files

    private var now: Instant { Instant(nanoseconds: BootClock.now()) }
    private func learned(_ interface: String) -> StateFile {
        StateFile("\(interface).learned", in: folder)
    }
    private func restraint(_ interface: String) -> StateFile {
        StateFile("\(interface).restraint", in: folder)
    }

    private func content(_ file: StateFile) -> [UInt8]? {
        do throws(SystemError) { return try file.read() } catch {
            complaint.make("could not read \(file.path): \(error.words)")
            return nil
        }
    }

    private func write(_ bytes: [UInt8], to file: StateFile, outlivesPower: Bool = true) {
        do throws(SystemError) { try file.write(bytes, outlivesPower: outlivesPower) } catch {
            complaint.make(
                "could not write \(file.path): \(error.words) (give another directory with --state-dir)")
        }
    }
}
