@testable import Model
@testable import Toggling

extension VirtualWorld {
    /// A world whose station is not associated until the method `cure` has run.
    static func unassociated(
        _ runMode: RunMode = .watch, owner: OwnerCondition? = nil, radio: RadioCondition? = nil,
        mendedBy cure: Model.Method?, limiter: BounceLimiter.Saved = BounceLimiter.Saved(),
        _ change: (inout Settings) -> Void = { _ in }
    ) -> VirtualWorld {
        var world = VirtualWorld(runMode, Sample.settings(change), limiter: limiter)
        world.isInRange = false
        (world.ownerCondition, world.radioCondition) = (owner, radio)
        world.onMethod = { world, method in
            if method == cure { (world.isInRange, world.radioCondition) = (true, nil) }
        }
        return world
    }
}
