import Doctor
import Glibc
import Model
import Platform
import Recovery
import Reporting

/// Collects the facts that decide whether the service could reboot the machine (``Model/Method/reboot``).
struct RebootInspector {
    private let directory: TrustedDirectory

    /// - Parameter directory: the state directory.
    init(directory: String) { self.directory = TrustedDirectory(directory) }

    /// The facts from files and settings; nil: the settings do not name the method.
    /// - Parameter names: the interfaces that have a default route.
    func facts(of link: Link, _ settings: Settings, defaultRoutesOver names: [String]) -> RebootFacts? {
        guard settings.mayReboot else { return nil }
        var facts = RebootFacts()
        facts.now = Instant.now
        facts.record = record
        facts.knownTargets = StateStore.knownTargets(of: link.name, in: directory)
        facts.otherUplink = Uplinks().other(than: link.name, among: names)
        facts.after = settings.rebootAfter
        facts.settle = settings.settle
        facts.delay = settings.delay
        let automatic: [Model.Method] = settings.methods.isEmpty ? [.owner, .bounce] : []
        facts.others = (automatic + settings.namedMethods).filter { $0 != .reboot }
        return facts
    }

    private var record: RebootFacts.Record? {
        guard let boot = BootID.boot else { return nil }
        if StateFile.isVolatile(directory.path) { return .volatile(directory: directory.path) }
        let file = Rebooter.file(in: directory)
        do throws(SystemError) {
            guard let record = RebootRecord.record(try file.read(), boot: boot) else {
                return .damaged(file: file.path)
            }
            return .read(RebootState(reboots: record.reboots))
        } catch {
            // Only root and the service's user may read the file, so for other users this is no problem.
            return UserAccount.ofProcess == 0 ? .unreadable(file: file.path, error: error.description) : nil
        }
    }
}
