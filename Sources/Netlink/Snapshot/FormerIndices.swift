import Model

/// The former indices of interfaces that have disappeared and come back with another index, as an interface
/// does when its driver is unbound and bound again.
public struct FormerIndices {
    /// The most indices that are kept of one interface. A snapshot is used soon after it was taken.
    private static let most = 16

    /// The former indices of each interface, the latest last. The key is the present index.
    private var former: [InterfaceIndex: [InterfaceIndex]] = [:]

    public init() {}

    /// Notes that an interface has come back with another index. The same return may be noted twice: a monitor and
    /// the method that took the interface away both report it.
    public mutating func moved(from old: InterfaceIndex, to new: InterfaceIndex) {
        guard old != new, former[new]?.last != old else { return }
        former[new] = ((former.removeValue(forKey: old) ?? []) + [old]).suffix(Self.most)
    }

    /// Returns the snapshot with the present index of its interface in place of any former one.
    public func current(_ snapshot: Snapshot, of index: InterfaceIndex) -> Snapshot {
        former[index, default: []].reduce(snapshot) { $0.moved(from: $1, to: index) }
    }
}
