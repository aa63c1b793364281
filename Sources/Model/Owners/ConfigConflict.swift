/// A conflict between the settings of an interface and its owner. It is reported, and forbids nothing.
public enum ConfigConflict: Hashable, Sendable {
    /// The owner gives the link up if it is away for this long.
    case holdTooLong(Owner, delay: Duration, longest: Duration)
    /// A bounce would count as useless before the owner can have restored the link.
    case settleTooShort(Owner, settle: Duration, recovery: Duration)
    /// Only wpa_supplicant can be asked to reassociate, and another program associates the station.
    case cannotReassociate(Owner)
    /// Several independent programs manage the same part of the link.
    case disputed([Owner])
}
