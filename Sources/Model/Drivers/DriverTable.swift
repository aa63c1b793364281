/// The rules of the driver files.
public struct DriverTable: Hashable, Sendable {
    private let rules: [DriverRule]

    /// Makes the table from two sources.
    /// - Parameters:
    ///   - installed: the rules that the package installs.
    ///   - own: the administrator's rules; each replaces the installed rule for the same driver and bus.
    public init(installed: [DriverRule] = [], own: [DriverRule] = []) {
        let replaced = Set(own.map(\.name))
        rules = own + installed.filter { !replaced.contains($0.name) }
    }

    /// The most specific rule for a driver; nil: there is none.
    public func rule(for name: DriverName) -> DriverRule? {
        rules.compactMap { rule in rule.specificity(for: name).map { (rule, $0) } }.max { $0.1 < $1.1 }?.0
    }

    /// The rule that forbids a method with a driver; nil: the method may be tried.
    public func objection(to method: Method, with name: DriverName) -> DriverRule? {
        rule(for: name).flatMap { $0.permits(method) ? nil : $0 }
    }

    /// Why the program keeps power saving off; nil: the program leaves power saving as it is.
    /// - Parameter name: the present driver; nil: it is unknown.
    public func reason(for powerSave: PowerSave, with name: DriverName?) -> PowerSaveOffReason? {
        switch powerSave {
        case .off: return .setting
        case .leave: return nil
        case .auto:
            guard let name, let rule = rule(for: name), rule.powerSave == .off else { return nil }
            return .rule(rule, name)
        }
    }
}
