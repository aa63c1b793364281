import Model

extension NetlinkCommands {
    /// The address with which packets to a neighbour leave by an interface where they choose none themselves, as ARP
    /// does; nil: there is no way (RTM_GETROUTE, RTA_PREFSRC).
    public func source(
        toward peer: IPAddress, over index: InterfaceIndex, _ done: @escaping Completion<IPAddress?>
    ) {
        ask({ (kernel) throws(Failure) in try kernel.source(toward: peer, over: index) }, done)
    }
}
