import HelperProtocol
import Model
import Platform

/// Finds out whether systemd-resolved does its work. Unlike a probe, this says nothing about a link.
extension HelperProbe {
    /// How long the servers may take to answer. systemd-resolved then gets the same time.
    private static let timeout: Duration = .seconds(5)
    /// A name that systemd-resolved knows by itself (systemd-resolved.service(8)).
    private static let ownName = "localhost"

    /// Whether systemd-resolved fails to answer for a name, although one of its servers gives the right
    /// answer over this interface. Asks the servers first, and systemd-resolved only if one of them has given
    /// that answer. `done` is called once, possibly inside this call.
    func isResolverAtFault(
        _ lookup: FailedLookup, on device: Device, _ done: @escaping @MainActor (Bool) -> Void
    ) {
        let servers = files.serversOfResolver(for: device)
        guard !servers.isEmpty else { return done(false) }
        question(lookup.name, servers, device) { outcome in
            guard case .answered = outcome else { return done(false) }
            question(lookup.name, [lookup.resolver], .loopback) { done($0.map(Self.isFault) ?? false) }
        }
    }

    /// Whether systemd-resolved fails to answer even for a name that it knows by itself. Nothing is sent to
    /// the network. `done` is called once, possibly inside this call.
    func isResolverMute(at resolver: IPAddress, _ done: @escaping @MainActor (Bool) -> Void) {
        question(Self.ownName, [resolver], .loopback) { done($0.map(Self.isFault) ?? false) }
    }

    /// Any answer shows that systemd-resolved works, except an answer that says that the server failed.
    static func isFault(_ outcome: HelperAnswer.Outcome) -> Bool {
        switch outcome {
        case .unanswered, .refuted(.nameServer, _, _): true
        case .answered, .refuted, .unknown: false
        }
    }

    private func question(
        _ name: String, _ servers: [IPAddress], _ device: Device,
        _ done: @escaping @MainActor (HelperAnswer.Outcome?) -> Void
    ) {
        let make = { (id: UInt32) in
            HelperRequest(
                id: id, question: .dns(name: name, expectsPrivate: false), interface: device.name,
                index: device.index, servers: servers, timeout: Self.timeout)
        }
        supervisor.ask(make) { done(try? $0.get()) }
    }
}

extension Device {
    /// The interface on which this machine reaches itself; the kernel gives it this index (LOOPBACK_IFINDEX).
    static let loopback = Device(index: InterfaceIndex(rawValue: 1), name: "lo")
}
