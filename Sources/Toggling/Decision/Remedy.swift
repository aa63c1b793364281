import Model

/// Which methods are tried if the user names none (`--method auto`), the gentlest first: the only table.
///
///     fault                               owner                    methods
///     association                         has given up             owner, bounce
///     association                         was told to disconnect   none (`NoBounceReason`)
///     any other that a bounce may cure    any other                bounce
///
/// An owner that has given up does not come back after a bounce; it does as soon as it is asked.
enum Remedy {
    static func methods(for kernelState: KernelState) -> [Method] {
        kernelState.ownerCondition?.kind == .gaveUp ? [.owner, .bounce] : [.bounce]
    }
}

extension Settings {
    /// Whether a bounce is among the methods that may be tried.
    public var mayBounce: Bool { methods.isEmpty || methods.contains(.bounce) }
}

extension Toggler {
    /// The methods for this cause.
    func methods(for cause: BounceCause, _ kernelState: KernelState) -> [Method] {
        guard settings.methods.isEmpty else { return settings.methods }
        return asksOwner(about: cause) ? Remedy.methods(for: kernelState) : [.bounce]
    }

    /// Whether the condition of the owner decides about the methods, so that it has to be asked.
    func asksOwner(about cause: BounceCause) -> Bool {
        settings.methods.isEmpty && cause.verdict?.layer == .association
    }
}
