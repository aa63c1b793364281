import Glibc
import Platform

/// The interfaces that have a default route and a carrier. Tunnels do not count, because their packets leave
/// over another interface.
public struct Uplinks {
    /// The values of ARPHRD_ETHER and ARPHRD_PPP (linux/if_arp.h).
    private static let (ethernet, ppp) = (1, 512)
    /// The kernel stacks at most eight interfaces.
    private static let highestStack = 8
    private static let mostFiles = 1024

    private let root: String

    /// - Parameter root: the root of the file system, without a slash at its end.
    public init(root: String = "") { self.root = root }

    /// An uplink that does not need this interface; nil: there is none. A bond that has another port with a
    /// carrier is such an uplink.
    /// - Parameter names: the interfaces that have a default route
    ///   (`NetlinkCommands.interfacesWithDefaultRoute`).
    public func other(than interface: String, among names: [String]) -> String? {
        names.first { leadsOut($0, without: interface, Self.highestStack) }
    }

    private func leadsOut(_ name: String, without interface: String, _ most: Int) -> Bool {
        guard name != interface, number(name, "carrier") == 1 else { return false }
        let prefix = "lower_"
        let lower = DirectoryListing.of(directory(name), atMost: Self.mostFiles)
            .filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
        if lower.isEmpty { return isHardware(name) || isLink(name) }
        return most > 0 && lower.contains { leadsOut($0, without: interface, most - 1) }
    }

    /// Whether the interface has a device. Modems have one, whatever the type of the interface.
    private func isHardware(_ name: String) -> Bool { access("\(directory(name))/device", F_OK) == 0 }

    private func isLink(_ name: String) -> Bool {
        let isTunnel = access("\(directory(name))/tun_flags", F_OK) == 0
        return !isTunnel && [Self.ethernet, Self.ppp].contains(number(name, "type"))
    }

    private func directory(_ name: String) -> String { "\(root)/sys/class/net/\(name)" }

    private func number(_ name: String, _ file: String) -> Int? {
        SmallFile.line("\(directory(name))/\(file)").flatMap { Int($0) }
    }
}
