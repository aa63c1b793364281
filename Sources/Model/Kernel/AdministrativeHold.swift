/// An administrator's hold (`wifi-toggler hold`): no bounce except on request.
public enum AdministrativeHold: Codable, Hashable, Sendable {
    case until(Instant)
    /// Until it is released.
    case untilReleased

    /// Whether the hold applies at this instant.
    package func holds(at now: Instant) -> Bool {
        switch self {
        case .until(let end): now < end
        case .untilReleased: true
        }
    }
}
