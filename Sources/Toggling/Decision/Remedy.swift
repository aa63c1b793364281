import Model

/// Which methods are tried if the user names none (`--method auto`), the gentlest first: the only table.
///
///     fault                               owner                    methods
///     association                         has given up             owner, bounce
///     association                         was told to disconnect   none (`NoBounceReason`)
///     association                         any other                bounce
///     any other that a bounce may cure    is not asked             bounce
///
/// An owner that has given up does not come back after a bounce; it does as soon as it is asked.
extension Toggler {
    func methods(for cause: BounceCause, _ kernelState: KernelState) -> [Method] {
        guard settings.methods.isEmpty else { return settings.methods }
        let hasGivenUp = asksOwner(about: cause) && kernelState.ownerCondition?.kind == .gaveUp
        return hasGivenUp ? [.owner, .bounce] : [.bounce]
    }

    /// Whether the condition of the owner decides about the methods, so that it has to be asked.
    func asksOwner(about cause: BounceCause) -> Bool {
        settings.methods.isEmpty && cause.verdict?.layer == .association
    }
}

extension Settings {
    /// Whether a bounce is among the methods that may be tried.
    public var mayBounce: Bool { methods.isEmpty || methods.contains(.bounce) }
}
