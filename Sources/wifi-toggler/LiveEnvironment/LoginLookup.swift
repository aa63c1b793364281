import Model
import Netlink
import Platform
import Toggling

/// Looks who is logged in over an interface, when a bounce is about to begin.
struct LoginLookup {
    private let records: LoginRecords
    private let netlink: NetlinkCommands

    init(_ netlink: NetlinkCommands, _ records: LoginRecords = LoginRecords()) {
        self.netlink = netlink
        self.records = records
    }

    /// Where the kernel cannot tell, nobody is known to be: a kernel without sock_diag(7) must not keep a
    /// sick link sick for ever.
    func logins(over index: InterfaceIndex, _ done: @escaping @MainActor ([Login]) -> Void) {
        let peers = Set(records.peers().compactMap { IPAddress(bytes: $0) })
        // Mostly nobody is, and then the kernel need not be asked.
        guard !peers.isEmpty else { return done([]) }
        netlink.logins(from: peers, over: index) { result in
            if case .success(let logins) = result { done(logins) } else { done([]) }
        }
    }
}
