import Model

/// How to restore a link that was taken down.
public enum LinkUndo: Equatable, Sendable {
    /// By the interface's administrative state.
    case link
    /// By the rfkill switch of its radio, and then by the administrative state.
    case radio(RadioSwitch)
    /// By binding the driver to its device; the interface has another index afterwards.
    case driver(DriverBinding)
    /// By giving the device back to its bus; the interface has another index afterwards.
    case reset(BusReset)

    /// The method that it undoes.
    public var method: Method {
        switch self {
        case .link: .bounce
        case .radio: .rfkill
        case .driver: .rebind
        case .reset: .reset
        }
    }

    /// The same with the files that it writes open: a process that gives up root's rights over files can still do it.
    public var opened: LinkUndo {
        switch self {
        case .link: .link
        case .radio(let radio): .radio(radio.opened())
        case .driver(let binding): .driver(binding.opened())
        case .reset(let reset): .reset(reset.opened())
        }
    }

    /// The same for another attempt to raise the link: the harder step of a reset is taken once.
    public var again: LinkUndo {
        if case .reset(let reset) = self { .reset(reset.gentle) } else { self }
    }
}
