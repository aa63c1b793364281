/// A set of layers. With the standard library's `Set`, the runtime would first instantiate its generic types,
/// which takes longer than all work of this program with the set.
public struct LayerSet: Hashable, Sendable, ExpressibleByArrayLiteral {
    private var bits: UInt8 = 0

    public init(_ layers: some Sequence<Layer>) { for layer in layers { insert(layer) } }

    public init(arrayLiteral layers: Layer...) { self.init(layers) }

    public func contains(_ layer: Layer) -> Bool { bits & layer.bit != 0 }

    public mutating func insert(_ layer: Layer) { bits |= layer.bit }
}

extension Layer {
    fileprivate var bit: UInt8 {
        switch self {
        case .radio: 1
        case .association: 1 << 1
        case .address: 1 << 2
        case .gateway: 1 << 3
        case .dns: 1 << 4
        case .internet: 1 << 5
        case .portal: 1 << 6
        }
    }
}

extension LayerSet: Codable {
    public init(from decoder: any Decoder) throws { self.init(try [Layer](from: decoder)) }

    /// Encodes the set as a list, in the order of the layers.
    public func encode(to encoder: any Encoder) throws {
        try Layer.allCases.filter(contains).encode(to: encoder)
    }
}

extension LayerSet {
    /// The layers whose faults lead to a bounce by default: those that a bounce sets up anew.
    public static let bouncedByDefault: LayerSet = [.association, .address, .gateway]
}

extension Layer {
    /// The layers that a user may choose for `--bounce-on`.
    public static let eligibleForBounce = allCases.filter { $0 != .radio }
}
