/// The SplitMix64 generator of Steele, Lea and Flood (2014). The same seed gives the same numbers on every
/// machine. It is not suitable for cryptography.
public struct SplitMix64: RandomNumberGenerator, Hashable, Sendable {
    private var state: UInt64
    public init(state: UInt64) { self.state = state }

    /// The next 64 random bits.
    public mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ mixed >> 27) &* 0x94d0_49bb_1331_11eb
        return mixed ^ mixed >> 31
    }

    /// A number that is uniformly distributed over 0 ..< bound.
    public mutating func number(below bound: UInt64) -> UInt64 { next(upperBound: bound) }
}
