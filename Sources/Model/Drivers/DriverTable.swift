/// The rules of the driver files.
public struct DriverTable: Hashable, Sendable {
    private let rules: [DriverRule]

    /// - Parameters:
    ///   - installed: those of the package.
    ///   - own: the administrator's; each replaces the installed rule of the same name.
    public init(installed: [DriverRule] = [], own: [DriverRule] = []) {
        let replaced = Set(own.map(\.name))
        rules = own + installed.filter { !replaced.contains($0.name) }
    }

    /// The most specific rule for a driver; nil: there is none.
    public func rule(for name: DriverName) -> DriverRule? {
        rules.compactMap { rule in rule.specificity(for: name).map { (rule, $0) } }.max { $0.1 < $1.1 }?.0
    }

    /// The rule that keeps a method from being tried with a driver; nil: it may be tried.
    public func objection(to method: Method, with name: DriverName) -> DriverRule? {
        rule(for: name).flatMap { $0.permits(method) ? nil : $0 }
    }
}
