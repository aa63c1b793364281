import Platform
import Toggling

/// Gives back what was needed once, when nothing but looks is to come: the memory and the code of a start and of a bounce,
/// and of what happens now and then.
final class RestKeeper {
    /// By then what follows a start or a bounce is over: the owner is found, the history read and on the disk.
    private static let delay: Duration = .seconds(2)
    /// The code of a check has to be mapped again afterwards: some forty page faults.
    private static let period: Duration = .seconds(900)

    private let timer = TimerSource { Malloc.giveBack() }
    private var last = BootClock.now()

    /// Something else than a check is over.
    func begin() { timer.schedule(atBootNanoseconds: BootClock.now() + Self.delay.nanoseconds) }

    /// A check is over.
    func noteCheck() {
        let now = BootClock.now()
        guard now - last >= Self.period.nanoseconds else { return }
        last = now
        Malloc.giveBack()
    }
}
