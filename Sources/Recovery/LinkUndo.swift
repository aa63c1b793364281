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
}
