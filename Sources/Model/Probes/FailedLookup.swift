/// A name for which this machine's own resolver, systemd-resolved, gave no answer or a wrong one.
public struct FailedLookup: Codable, Hashable, Sendable {
    public var name: String
    /// The address at which systemd-resolved was asked.
    public var resolver: IPAddress
}

extension IPAddress {
    /// Whether systemd-resolved listens at this address (systemd-resolved.service(8)).
    package var isOfResolver: Bool { self == .v4(0x7f00_0035) || self == .v4(0x7f00_0036) }
}

extension Verdict {
    /// The failed lookup that suggests that systemd-resolved itself is at fault; nil: the fault is not in
    /// name resolution, or no lookup by systemd-resolved failed.
    package var failedLookup: FailedLookup? {
        guard conclusion == .sick, layer == .dns else { return nil }
        for case .probe(.dns(let name, let server?), let result) in evidence
        where server.isOfResolver && result.isSilence {
            return FailedLookup(name: name, resolver: server)
        }
        return nil
    }
}

extension KernelState {
    /// Whether systemd-resolved is at fault: it does not resolve names, although the link is healthy.
    package var resolverFails: Bool { ownerCondition?.owner == .resolved }
}
