import Model
import Probing
import Recovery
import Service

/// Finds out whether systemd-resolved does not do its work, and why.
struct ResolverLookup {
    let prober: Prober

    /// Asks systemd-resolved and its servers for the name of a lookup that has failed.
    /// - Parameters:
    ///   - device: the interface that has the addresses.
    ///   - done: called once; with nil if systemd-resolved is not at fault.
    func condition(
        _ lookup: FailedLookup, over device: InterfaceRef, _ done: @escaping OwnerConditionQuery.Completion
    ) {
        prober.isResolverAtFault(lookup, on: device.index, interfaceName: device.name) {
            askAboutUnit(if: $0, done)
        }
    }

    /// Asks systemd-resolved for a name of this machine, if this machine uses systemd-resolved. Sends nothing
    /// to the network.
    /// - Parameter done: called once; with nil if systemd-resolved works, or is not used.
    func condition(_ done: @escaping OwnerConditionQuery.Completion) {
        guard let resolver = DNSServerFiles().resolver else { return done(nil) }
        prober.isResolverMute(at: resolver) { askAboutUnit(if: $0, done) }
    }

    private func askAboutUnit(if isAtFault: Bool, _ done: @escaping OwnerConditionQuery.Completion) {
        isAtFault ? OwnerConditionQuery().askAboutResolver(done) : done(nil)
    }
}
