/// The environment of the administrator's programs (command probes and hooks). They inherit no variables.
public enum CommandEnvironment {
    /// The variables that all of them get.
    public static let common = [
        "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C",
    ]

    /// The whole environment of a program that runs for an interface.
    public static func about(_ interface: String) -> [String: String] {
        common.merging(["INTERFACE": interface]) { $1 }
    }
}
