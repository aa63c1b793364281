/// What ``--method auto`` does about a kind of fault: a row of the table that the manual and `doctor` show.
/// `Toggler.methods(for:_:at:)` decides; a test compares its decisions with this table.
public struct RemedyRow: Hashable, Sendable {
    /// The evidence of the fault.
    public enum Evidence: Hashable, Sendable, CaseIterable {
        /// The device has lost its interface (``RadioCondition/lostInterface(_:)``).
        case interfaceLost
        /// Another ``RadioCondition``.
        case radioRefuses
        /// The ``OwnerCondition/Kind`` of this name.
        case gaveUp, deadOrHung, lostDevices, toldToDisconnect
        /// No such condition of the radio or of the owner was found.
        case noCondition
        /// This machine itself has left its network, and the owner is dead or hung, or has lost its devices.
        case leftByDeadOwner
        /// This machine itself has left its network.
        case left
        /// Only systemd-resolved fails; other name servers answer.
        case resolverFails
        /// A fault for which neither the owner nor the radio is examined.
        case notExamined
        /// The kernel does not raise the link after a bounce.
        case notRaised
    }

    public var evidence: Evidence
    /// The methods, in the order in which they are tried; empty: nothing is done.
    public var methods: [Method]

    /// The whole table. A row applies if no row before it does.
    public static let table = [
        RemedyRow(evidence: .interfaceLost, methods: [.reset]),
        RemedyRow(evidence: .leftByDeadOwner, methods: [.restartOwner]),
        RemedyRow(evidence: .left, methods: []),
        RemedyRow(evidence: .radioRefuses, methods: [.reset, .bounce]),
        RemedyRow(evidence: .toldToDisconnect, methods: []),
        RemedyRow(evidence: .gaveUp, methods: [.owner, .bounce]),
        RemedyRow(evidence: .deadOrHung, methods: [.restartOwner, .bounce]),
        RemedyRow(evidence: .lostDevices, methods: [.restartOwner, .bounce]),
        RemedyRow(evidence: .noCondition, methods: [.bounce]),
        RemedyRow(evidence: .resolverFails, methods: [.restartOwner]),
        RemedyRow(evidence: .notExamined, methods: [.bounce]),
        RemedyRow(evidence: .notRaised, methods: [.reset]),
    ]
}
