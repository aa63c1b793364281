import CLinux
import Glibc

/// Reports the state of the service to the service manager, with the protocol of sd_notify(3): datagrams to
/// the socket in NOTIFY_SOCKET. Without that variable, every call does nothing. A message that cannot be sent
/// is dropped: the service does not depend on its manager.
public struct ServiceNotifier: Sendable {
    /// The interval within which the manager expects ``watchdog()``; call it twice as often. nil: the manager
    /// does not expect it. The value is that of WATCHDOG_USEC, which counts if WATCHDOG_PID is this process
    /// or absent (sd_watchdog_enabled(3)).
    public let watchdogInterval: Duration?
    /// Whether there is a service manager.
    public var isHeard: Bool { address != nil }
    private let address: UnixAddress?

    public init(environment: [String: String]) {
        address = environment["NOTIFY_SOCKET"].flatMap(UnixAddress.init(notifySocket:))
        watchdogInterval = Self.watchdogInterval(environment: environment, process: getpid())
    }

    /// Reports that the service has started, or has finished reloading.
    public func ready(status: String? = nil) { send(Self.message(["READY=1"], status: status)) }
    /// Reports what the service is doing, in one line for `systemctl status`.
    public func status(_ status: String) { send(Self.message([], status: status)) }
    /// Reports that the configuration is being read again. Call ``ready(status:)`` afterwards.
    public func reloading() {
        send("RELOADING=1\nMONOTONIC_USEC=\(BootClock.monotonic() / 1000)")
    }
    /// Reports that the service is about to end.
    public func stopping(status: String? = nil) { send(Self.message(["STOPPING=1"], status: status)) }
    /// Reports that the service is still alive.
    public func watchdog() { send("WATCHDOG=1") }

    static func message(_ assignments: [String], status: String?) -> String {
        let words = status.map { ["STATUS=" + Output.escaped($0)] } ?? []
        return (assignments + words).joined(separator: "\n")
    }

    static func watchdogInterval(environment: [String: String], process: Int32) -> Duration? {
        guard let microseconds = environment["WATCHDOG_USEC"].flatMap({ Int64($0) }), microseconds > 0 else {
            return nil
        }
        if let owner = environment["WATCHDOG_PID"], Int32(owner) != process { return nil }
        return .microseconds(microseconds)
    }

    /// Sends a message. Waits briefly, 100 ms at most, if the manager's queue is full.
    private func send(_ message: String) { _ = address?.send(Array(message.utf8)) }
}
