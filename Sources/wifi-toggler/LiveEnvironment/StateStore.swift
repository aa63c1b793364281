import Invocation
import Model
import Platform
import Reporting
import Service
import Toggling

/// Stores what was learned about interfaces in the state directory. The files of an interface are written
/// only by the process that has its lock.
final class StateStore {
    private let directory: TrustedDirectory
    /// Where the bounces are stored if they cannot be written to the state directory, until the next reboot:
    /// without them, the commands that cron runs would bounce without limits.
    private let runDirectory: TrustedDirectory
    private let warnOnce: WarnOnce

    init(_ directory: TrustedDirectory, orIn runDirectory: TrustedDirectory, _ warnOnce: WarnOnce) {
        self.directory = directory
        self.runDirectory = runDirectory
        self.warnOnce = warnOnce
    }

    /// The known targets of earlier runs; empty if the file cannot be read.
    func knownTargets(of interface: String) -> KnownTargets { text(of: interface).knownTargets }

    /// The known targets of earlier runs, without a warning; nil if the file cannot be read.
    static func knownTargets(of interface: String, in directory: TrustedDirectory) -> KnownTargets? {
        let bytes: [UInt8]?
        do { bytes = try learnedFile(interface, in: directory).read() } catch { return nil }
        return KnownTargetsText(bytes, now: .now, wallNow: WallClock.seconds()).knownTargets
    }

    /// The bounces of earlier runs; empty if the file cannot be read.
    func bounces(of interface: String) -> BounceLimiter.Saved {
        let temporary = limiterFile(interface, in: runDirectory)
        let bytes =
            (temporary.isThere ? content(temporary) : nil) ?? content(limiterFile(interface, in: directory))
        return SavedLimiterText.limiter(bytes, now: .now, wallNow: WallClock.seconds())
    }

    /// Stores the known targets. If that fails, as on a full disk, the program continues.
    func remember(_ interfaceRef: InterfaceRef, _ knownTargets: KnownTargets) {
        write(text(of: interfaceRef.name).bytes(for: knownTargets), to: learnedFile(interfaceRef.name))
    }

    /// Stores the bounces. Does not wait for the disk, because that would take a quarter of the time of a
    /// bounce. After a power cut, an older record may be read, or none.
    func remember(_ interfaceRef: InterfaceRef, _ limiter: BounceLimiter.Saved) {
        let bytes = SavedLimiterText.bytes(limiter, now: .now, wallNow: WallClock.seconds())
        let file = limiterFile(interfaceRef.name, in: directory)
        let temporary = limiterFile(interfaceRef.name, in: runDirectory)
        if !write(bytes, to: file, outlivesPower: false) {
            write(bytes, to: temporary, outlivesPower: false)
        } else if temporary.isThere, !temporary.isSame(as: file) {
            temporary.remove()
        }
    }

    private func text(of interface: String) -> KnownTargetsText {
        KnownTargetsText(content(learnedFile(interface)), now: .now, wallNow: WallClock.seconds())
    }

    // MARK: Files

    private static func learnedFile(_ interface: String, in directory: TrustedDirectory) -> StateFile {
        StateFile("\(interface).learned", in: directory)
    }
    private func learnedFile(_ interface: String) -> StateFile {
        Self.learnedFile(interface, in: directory)
    }
    private func limiterFile(_ interface: String, in directory: TrustedDirectory) -> StateFile {
        StateFile("\(interface).limiter", in: directory)
    }

    private func content(_ file: StateFile) -> [UInt8]? {
        do throws(SystemError) { return try file.read() } catch {
            warnOnce.make(
                "could not read \(file.path): \(error.description) (remove it, or give another directory with"
                    + " --state-dir)")
            return nil
        }
    }

    /// - Returns: whether the file was written.
    @discardableResult
    private func write(_ bytes: [UInt8], to file: StateFile, outlivesPower: Bool = true) -> Bool {
        do throws(SystemError) {
            try file.write(bytes, outlivesPower: outlivesPower)
            return true
        } catch {
            warnOnce.make(
                "could not write \(file.path): \(error.description) (give another directory with --state-dir)"
            )
            return false
        }
    }
}
