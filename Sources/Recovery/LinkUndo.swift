import Model

/// How to restore a link after it was taken down.
public enum LinkUndo: Equatable, Sendable {
    /// Set the administrative state up.
    case link
    /// Unblock the radio with its rfkill switch, then set the administrative state up.
    case radio(RadioSwitch)
    /// Bind the driver to its device. The interface then has another index.
    case driver(DriverBinding)
    /// Give the device back to its bus. The interface then has another index.
    case reset(BusReset)
    /// Wait until a unit of systemd has given the device back. The interface then has another index.
    case unit(ResetUnit)

    /// The method that this undoes.
    public var method: Method {
        switch self {
        case .link: .bounce
        case .radio: .rfkill
        case .driver: .rebind
        case .reset, .unit: .reset
        }
    }

    /// Whether the interface did not exist before the bounce, because its device had lost it.
    public var isOfLoss: Bool {
        switch self {
        case .reset(let reset): reset.isOfLoss
        case .unit(let unit): unit.reset.isOfLoss
        case .link, .radio, .driver: false
        }
    }

    /// Whether a unit takes the device away. The unit runs as root, but without the right to read the files
    /// of other users, so the record of such a bounce must be readable by every user.
    public var isOfUnit: Bool { if case .unit = self { true } else { false } }

    /// The same undo with the necessary files open, so that it still works after the process has given up
    /// root's rights.
    public var opened: LinkUndo {
        switch self {
        case .link, .unit: self
        case .radio(let radio): .radio(radio.opened())
        case .driver(let binding): .driver(binding.opened())
        case .reset(let reset): .reset(reset.opened())
        }
    }

    /// The undo for a further attempt to restore the link. It lacks the harder step of a reset, which is
    /// taken only once.
    public var again: LinkUndo {
        if case .reset(let reset) = self { .reset(reset.gentle) } else { self }
    }
}
