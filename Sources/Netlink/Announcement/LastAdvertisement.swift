import CNetlink
import Model
import Platform

extension NetlinkCommands {
    /// The last router advertisement on an interface (RTM_GETROUTE, RTM_GETADDR); nil if there was none, if
    /// another program processes advertisements instead of the kernel, or if no address shows the time of the
    /// last one.
    public func lastAdvertisement(
        on index: InterfaceIndex, _ done: @escaping Completion<LastAdvertisement?>
    ) {
        ask({ (kernel) throws(Failure) in try kernel.lastAdvertisement(on: index) }, done)
    }
}

extension Conversation {
    fileprivate mutating func lastAdvertisement(
        on index: InterfaceIndex
    ) throws(Failure) -> LastAdvertisement? {
        // If there are several routers and addresses, use the longest lifetime and the latest renewal: it is
        // enough that one router is heard.
        guard let remaining = try advertisedRouters(of: index).map(\.remaining).max() else { return nil }
        let now = LastAdvertisement.stamp(atMonotonic: BootClock.monotonic())
        let ages = try ask(AddressRequest.of(index), of: route).compactMap {
            $0.type == RTM_NEWADDR ? LastAdvertisement.age($0.payload, on: index, at: now) : nil
        }
        return ages.min().map { LastAdvertisement(ago: $0, lifetime: $0 + remaining) }
    }
}

extension LastAdvertisement {
    /// Converts a time of CLOCK_MONOTONIC to the format of an address's timestamps: hundredths of a second
    /// since boot, without suspend, in 32 bits.
    static func stamp(atMonotonic nanoseconds: Int64) -> UInt32 {
        UInt32(truncatingIfNeeded: nanoseconds / 10_000_000)
    }

    /// How long ago an advertisement created or renewed an address (ifa_cacheinfo, tstamp). Returns nil
    /// unless this is an address of this interface that the kernel created from an advertisement (IFA_PROTO,
    /// since Linux 5.18). Also returns nil for a temporary address, because not only advertisements renew it.
    /// - Parameter now: the present time in the format of ``stamp(atMonotonic:)``.
    static func age(_ payload: Bytes, on index: InterfaceIndex, at now: UInt32) -> Duration? {
        guard let message = AddressMessage.parse(payload), message.index == index,
            message.address.address.isIPv6, message.flags & UInt32(IFA_F_TEMPORARY) == 0
        else { return nil }
        let attributes = Attributes(payload.following(ifaddrmsg.self))
        guard attributes[IFA_PROTO]?.number(UInt8.self) == UInt8(IFAPROT_KERNEL_RA),
            let times = attributes[IFA_CACHEINFO]?.structure(ifa_cacheinfo.self)
        else { return nil }
        let hundredths = Int32(truncatingIfNeeded: now &- times.tstamp)
        return .milliseconds(Int64(max(0, hundredths)) * 10)
    }
}
