import Invocation
import Model
import Netlink
import Reporting

/// An existing interface, and its nl80211 state.
struct Candidate {
    var link: Link
    /// The nl80211 state; nil if the interface is not Wi-Fi.
    var wireless: Wireless?

    var isStation: Bool { wireless?.role == .station }
}

/// Finds the interfaces that a command line names.
struct InterfaceResolver {
    let netlink: NetlinkCommands

    typealias Done<Value> = (Result<Value, CommandError>) -> Void

    /// Finds the interface of a one-shot command. Fails unless there is exactly one.
    func one(
        _ request: Request, _ settings: @escaping @MainActor (Link) -> Settings,
        _ done: @escaping Done<Candidate>
    ) {
        guard let pattern = request.interfaces.first else {
            return all { done($0.flatMap { Self.theOnly($0.filter(\.isStation), nil) }) }
        }
        if pattern.isGlob {
            return all { result in
                done(
                    result.flatMap { candidates in
                        let meant = candidates.filter {
                            pattern.matches($0.link.name)
                                && ($0.isStation || settings($0.link).allowsAnyInterface)
                        }
                        return Self.theOnly(meant, pattern)
                    })
            }
        }
        named(pattern.text) { result in
            done(result.flatMap { Self.permitted($0, settings($0.link)) })
        }
    }

    /// Finds the interface with exactly this name, whether it is Wi-Fi or not. Requests no dump of links.
    func named(_ name: String, _ done: @escaping Done<Candidate>) {
        netlink.identify(name) { result in
            done(
                result.map { Candidate(link: $0.link, wireless: $0.wireless) }
                    .mapError { Self.problem($0, name) })
        }
    }

    /// Finds all interfaces.
    func all(_ done: @escaping Done<[Candidate]>) {
        netlink.links { links in
            netlink.wirelessInterfaces { wireless in
                let both = links.flatMap { links in wireless.map { (links, $0) } }
                done(
                    both.map { links, wireless in
                        links.map { Candidate(link: $0, wireless: wireless[$0.index]) }
                    }.mapError { Self.problem($0, nil) })
            }
        }
    }

    /// Refuses an interface that is not a Wi-Fi station, unless --any-interface allows it.
    static func permitted(_ candidate: Candidate, _ settings: Settings) -> Result<Candidate, CommandError> {
        if candidate.isStation || settings.allowsAnyInterface { return .success(candidate) }
        let name = candidate.link.name
        let reason = candidate.wireless.map { NoBounceReason.notStation($0.role) } ?? .notWireless
        let sentence = "\(name): " + reason.description(interface: name, at: .boot)
        return .failure(CommandError(description: sentence, status: .unavailable))
    }

    private static func theOnly(
        _ candidates: [Candidate], _ pattern: InterfacePattern?
    ) -> Result<Candidate, CommandError> {
        let names = candidates.map(\.link.name).sorted().joined(separator: ", ")
        switch candidates.count {
        case 1: return .success(candidates[0])
        case 0:
            let what = pattern.map { "no Wi-Fi interface matches '\($0)'" } ?? "no Wi-Fi interface found"
            return .failure(
                CommandError(description: "\(what) (run 'wifi-toggler list')", status: .unavailable))
        default:
            let sentence = "several Wi-Fi interfaces: \(names) (name the one that is meant)"
            return .failure(CommandError(description: sentence, status: .usage))
        }
    }

    private static func problem(_ failure: Failure, _ name: String?) -> CommandError {
        let place = name.map { "\($0): " } ?? ""
        let sentence =
            failure.kind == .noSuchDevice
            ? "\(place)no such interface (run 'wifi-toggler list')"
            : failure.description(after: "\(place)could not ask the kernel")
        return CommandError(description: sentence, status: ExitStatus(failure))
    }
}
