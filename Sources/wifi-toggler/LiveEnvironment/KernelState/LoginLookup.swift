import Model
import Netlink
import Platform

/// Finds the remote logins over an interface, before a bounce.
struct LoginLookup {
    private let records: LoginRecords
    private let netlink: NetlinkCommands

    init(_ netlink: NetlinkCommands, _ records: LoginRecords = LoginRecords()) {
        self.netlink = netlink
        self.records = records
    }

    /// Calls `done` with the logins; with none if the kernel cannot report them, because a kernel without
    /// sock_diag(7) must not prevent every bounce.
    func logins(over index: InterfaceIndex, _ done: @escaping @MainActor ([Login]) -> Void) {
        let peers = Set(records.peers().compactMap { IPAddress(bytes: $0) })
        // Usually nobody is logged in remotely, and the kernel need not be asked.
        guard !peers.isEmpty else { return done([]) }
        netlink.logins(from: peers, over: index) { result in
            if case .success(let logins) = result { done(logins) } else { done([]) }
        }
    }
}
