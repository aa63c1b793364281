extension TogglerState {
    /// When what is waited for here is over at the latest; nil: that is not known, or nothing is waited for.
    public func end(under settings: Settings) -> Instant? {
        switch self {
        case .waiting(let next): next.at
        case .keepingDown(let bounce): bounce.loweredAt.map { $0 + bounce.hold(under: settings) }
        case .awaitingOwner(let bounce): bounce.ownerUntil
        case .awaitingLink(let bounce), .verifying(let bounce, _), .pausing(let bounce),
            .comparing(let bounce):
            bounce.settleUntil
        case .idle, .absent, .checking, .preparing, .performing, .arming, .lowering, .raising, .restoring,
            .finished:
            nil
        }
    }
}
