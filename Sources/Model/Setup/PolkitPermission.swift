/// Whether the service has a permission that polkit(8) gives to users other than root.
public enum PolkitPermission: Hashable, Sendable {
    case given, refused
    /// polkit, which would have to give it, cannot be asked, for this reason.
    case absent(String)
}

/// Whether the service may restart the unit of an owner.
public struct RestartAccess: Hashable, Sendable {
    public var unit: String
    public var permission: PolkitPermission

    public init(unit: String, permission: PolkitPermission) {
        self.unit = unit
        self.permission = permission
    }
}
