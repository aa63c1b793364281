import Glibc

/// What the kernel lets this process do (capabilities(7)).
public enum Capabilities {
    /// The number of CAP_NET_ADMIN in linux/capability.h.
    private static let networkAdministration: UInt64 = 12

    /// Whether the effective set holds CAP_NET_ADMIN, in whatever user namespace the process is. Where /proc
    /// does not tell, true: then the kernel itself will say.
    public static var includeNetworkAdministration: Bool {
        guard let status = try? TextFile.read("/proc/self/status"), let set = effectiveSet(in: status) else {
            return true
        }
        return set >> networkAdministration & 1 == 1
    }

    /// The bits of the line `CapEff:` of proc_pid_status(5).
    static func effectiveSet(in status: String) -> UInt64? {
        for line in status.split(separator: "\n") where line.hasPrefix("CapEff:") {
            return line.split(whereSeparator: { $0 == ":" || $0 == "\t" || $0 == " " }).last
                .flatMap { UInt64($0, radix: 16) }
        }
        return nil
    }
}
