@testable import Model
@testable import Toggling

/// What a kernel state of a virtual world says besides the link: users and their orders, and the conditions
/// of the owner, the radio and the machine.
struct SimulatedConditions {
    var owner: OwnerCondition?
    var radio: RadioCondition?
    /// Whether power saving is on; nil: the driver does not report it.
    var savesPower: Bool?
    var rebootState = RebootState()
    var administrativeHold: AdministrativeHold?
    var quietUntil: Instant?
    /// Logins over the link.
    var logins: [Login] = []
    /// Hosts that send all the time, whatever happens to the gateway.
    var liveness: [Liveness] = []
    /// When a host on the link sent once.
    var heardAt: Instant?

    /// Adds the orders of users to wait, which every kernel state has.
    func addHolds(to state: inout KernelState) {
        (state.administrativeHold, state.quietUntil) = (administrativeHold, quietUntil)
    }

    /// Adds the details that are requested now. Logins are read when the kernel answers (`settle`).
    func add(_ details: KernelState.Details, to state: inout KernelState, at now: Instant) {
        if details.ownerCondition {
            state.ownerCondition = owner
            state.radioCondition = state.radioCondition ?? radio
        }
        if details.logins { state.logins = [] }
        if let duration = details.livenessWithin {
            let once = heardAt.map { Liveness(peer: Sample.neighbour, manner: .connection, heard: now - $0) }
            state.liveness = (liveness + [once].compactMap(\.self)).filter { $0.heard <= duration }
        }
        if details.powerSave { state.savesPower = savesPower }
        if details.rebootState { state.rebootState = rebootState }
    }

    /// Adds the details that were requested with `asked` to the state at the time of the answer.
    func settle(_ asked: KernelState, in state: inout KernelState) {
        state.logins = asked.logins.map { _ in logins }
        state.liveness = asked.liveness
        state.savesPower = asked.savesPower
        state.ownerCondition = asked.ownerCondition
        state.radioCondition = state.radioCondition ?? asked.radioCondition
        state.rebootState = asked.rebootState
    }
}
