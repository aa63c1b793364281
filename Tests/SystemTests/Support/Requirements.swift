import Glibc
import Testing

extension Trait where Self == ConditionTrait {
    /// For tests that make network namespaces.
    static var needsRoot: Self { .enabled(if: geteuid() == 0, "network namespaces need root") }
}
