import Glibc
import Model
import Netlink
import Platform
import Probing
import Reporting
import Service

/// Announces the addresses of interfaces to their neighbours. Solicits advertisements from routers whose
/// advertisements are missing. Logs each problem once.
final class Announcer {
    private let netlink: NetlinkCommands
    private let console: Console
    private var logs: [Int: AnnouncementLog] = [:]
    private var lifetimes: [Int: RouterLifetimes] = [:]

    init(_ netlink: NetlinkCommands, _ console: Console) {
        self.netlink = netlink
        self.console = console
    }

    func announce(_ interfaceRef: InterfaceRef) {
        netlink.announce(on: interfaceRef.index) { [self] result in
            let name = interfaceRef.name
            let completed = completed(result, of: interfaceRef)
            for line in logs[interfaceRef.id, default: AnnouncementLog()].lines(for: completed) {
                console.note(line.level, "\(name): \(line.text)", about: name)
            }
        }
    }

    /// Announces the IPv6 addresses, after the kernel has announced the IPv4 addresses.
    /// - Parameter result: the result for IPv4, and the IPv6 addresses; nil if nothing is to be announced.
    /// - Returns: the results for both families.
    private func completed(
        _ result: Result<Announcement?, Failure>, of interfaceRef: InterfaceRef
    ) -> AnnouncementResult {
        switch result {
        case .success(nil): return AnnouncementResult()
        case .success(let announcement?):
            var done = AnnouncementResult(announced: announcement.ipv4)
            done.problems = announcement.omitted.map { .omitted($0) }
            if let failure = announcement.failure { done.add(failure) }
            let ending = lifetimes[interfaceRef.id, default: RouterLifetimes()].ending(announcement.routers)
            Self.advertise(announcement, ending, &done)
            return done
        case .failure(let failure):
            var done = AnnouncementResult()
            done.add(failure)
            return done
        }
    }

    private static func advertise(
        _ announcement: Announcement, _ ending: [AdvertisedRouter], _ done: inout AnnouncementResult
    ) {
        // Without a hardware address, there is nothing that neighbours could learn.
        guard !announcement.ipv6.isEmpty, let macAddress = announcement.macAddress else { return }
        guard Capabilities.includeRawSockets else { return done.problems.append(.noRawSockets) }
        let discovery = NeighbourDiscovery(
            on: announcement.device, macAddress: macAddress, isRouter: announcement.isRouter)
        for address in announcement.ipv6 {
            do throws(Failure) {
                try discovery.advertise(address)
                done.announced.append(address)
            } catch {
                done.add(error)
            }
        }
        guard let sender = announcement.ipv6.first(where: \.isIPv6LinkLocal), !ending.isEmpty else { return }
        do throws(Failure) {
            try discovery.solicitRouters(from: sender)
            done.solicited = ending
        } catch {
            done.add(error)
        }
    }
}

extension AnnouncementResult {
    /// Adds a failure, unless the interface or address has disappeared. That is no problem: the next check
    /// notices it.
    fileprivate mutating func add(_ failure: Failure) {
        guard failure.kind != .noSuchDevice, failure.code != EADDRNOTAVAIL else { return }
        problems.append(.failed(failure))
    }
}
