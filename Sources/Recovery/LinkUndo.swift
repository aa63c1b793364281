import Model

/// How to restore a link that was taken down.
public enum LinkUndo: Equatable, Sendable {
    /// By the interface's administrative state.
    case link
    /// By the rfkill switch of its radio, and then by the administrative state.
    case radio(RadioSwitch)
    /// By binding the driver to its device; the interface has another index afterwards.
    case driver(DriverBinding)

    /// The method that it undoes.
    public var method: Method {
        switch self {
        case .link: .bounce
        case .radio: .rfkill
        case .driver: .rebind
        }
    }

    /// The same with the file that it writes open: a process that gives up root's rights over files can still do it.
    public var opened: LinkUndo {
        switch self {
        case .link: .link
        case .radio(let radio): .radio(radio.opened())
        case .driver(let binding): .driver(binding.opened())
        }
    }
}
