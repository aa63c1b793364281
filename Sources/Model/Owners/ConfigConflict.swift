/// A setting of an interface that does not fit its owner. It is only reported.
public enum ConfigConflict: Hashable, Sendable {
    /// The owner gives the link up if the link is down for `delay`: it tolerates at most `longest`.
    case delayTooLong(Owner, delay: Duration, longest: Duration)
    /// The settle time ends before the owner has restored the link, which takes up to `recovery`: a bounce
    /// would count as useless.
    case settleTooShort(Owner, settle: Duration, recovery: Duration)
    /// The method `reassociate` needs wpa_supplicant, and this other program associates the station.
    case cannotReassociate(Owner)
    /// Several independent programs manage the same part of the link.
    case disputed([Owner])
}
