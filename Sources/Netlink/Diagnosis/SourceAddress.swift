import Model

extension NetlinkCommands {
    /// The source address of packets to a neighbour that choose none themselves, as ARP's do; nil: there is
    /// no route (RTM_GETROUTE, RTA_PREFSRC).
    public func source(
        toward peer: IPAddress, over index: InterfaceIndex, _ done: @escaping Completion<IPAddress?>
    ) {
        ask(
            { (kernel) throws(Failure) in try kernel.source(toward: peer, over: kernel.upper(of: index)) },
            done)
    }
}
