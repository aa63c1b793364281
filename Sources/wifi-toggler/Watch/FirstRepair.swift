import Guarding
import Model
import Platform

/// Finishes the interrupted bounce of an interface before a service watches it. If the kernel refuses to set the
/// link up, tries again for as long as it takes: to the checks, a link that is down is meant to be down.
///
/// The object keeps itself alive until the repair is over.
@MainActor final class FirstRepair {
    /// The time between two attempts.
    static let spacing: Duration = .seconds(30)

    private let command: RepairCommand
    private let interface: String
    private var last: Repair.Finding?
    private var timer: TimerSource?

    init(_ command: RepairCommand, _ interface: String) {
        self.command = command
        self.interface = interface
    }

    /// - Parameter done: called once, never inside this call.
    func begin(_ done: @escaping @MainActor () -> Void) {
        command.finishFirst(interface, after: last) { [self] finding in
            guard case .repaired(_, .notRaised, _)? = finding else { return done() }
            last = finding
            timer = TimerSource { [self] in
                timer = nil
                begin(done)
            }
            timer?.schedule(after: Self.spacing)
        }
    }
}
