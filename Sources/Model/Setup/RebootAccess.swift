/// Whether the service could reboot the machine now, as logind and polkit say.
public struct RebootAccess: Hashable, Sendable {
    /// How systemd-logind answers.
    public enum Logind: Hashable, Sendable {
        /// Whether a program inhibits shutdown now.
        case answers(isInhibited: Bool)
        /// It cannot be asked, for this reason.
        case absent(String)
    }

    /// nil: not known.
    public var logind: Logind?
    /// Whether logind would reboot the machine for the service; nil: not known.
    public var permission: PolkitPermission?
    /// Whether the service may reboot the machine by force, without logind.
    public var mayForce: Bool

    public init(logind: Logind? = nil, permission: PolkitPermission? = nil, mayForce: Bool = false) {
        self.logind = logind
        self.permission = permission
        self.mayForce = mayForce
    }
}
