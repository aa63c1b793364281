/// The environment of the administrator's programs, command probes and hooks: they inherit nothing.
public enum CommandEnvironment {
    /// What every one of them gets.
    public static let common = [
        "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C",
    ]

    /// The whole environment of a program that is run for an interface.
    public static func about(_ interface: String) -> [String: String] {
        common.merging(["INTERFACE": interface]) { $1 }
    }
}
