import Platform
import Toggling

/// Gives back what was needed once, when nothing but looks is to come: the memory and the code of a start and of a bounce,
/// and of what happens now and then.
final class RestKeeper {
    /// By then what follows a start or a bounce is over: the owner is found, the history read and on the disk.
    private static let delay: Duration = .seconds(2)
    /// To map the code of a look again costs a quarter of a look.
    private static let looksBetween = 16

    private let timer = TimerSource { Memory.giveBack() }
    private var looks = 0

    /// Something else than a look is over.
    func begin() { timer.schedule(atBootNanoseconds: BootClock.now() + Self.delay.nanoseconds) }

    /// A look is over.
    func noteLook() {
        looks += 1
        guard looks == Self.looksBetween else { return }
        looks = 0
        Memory.giveBack()
    }
}
