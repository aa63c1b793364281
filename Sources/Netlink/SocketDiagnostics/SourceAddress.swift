import Model

extension NetlinkCommands {
    /// The source address that the kernel chooses if a packet to a neighbour sets none, as for ARP requests;
    /// nil if there is no route (RTM_GETROUTE, RTA_PREFSRC; rtnetlink(7)).
    public func source(
        toward peer: IPAddress, over index: InterfaceIndex, _ done: @escaping Completion<IPAddress?>
    ) {
        ask(
            { (kernel) throws(Failure) in try kernel.source(toward: peer, over: kernel.upper(of: index)) },
            done)
    }
}
