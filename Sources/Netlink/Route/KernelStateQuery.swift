import Model
import Platform

/// The result of reading the kernel state of an interface.
struct KernelStateQuery: Sendable {
    /// The kernel state without the rfkill block, which netlink does not report.
    var kernelState: KernelState
    /// The addresses and gateways with the time at which they were read; nil if they were not read, for
    /// example because they were in the cache.
    var reading: (addressing: AddressingState, at: Instant)?
}

extension Conversation {
    /// Reads the kernel state of an interface. Fails with `.noSuchDevice` only if the interface itself does
    /// not exist.
    /// - Parameters:
    ///   - known: the cached addressing state; nil if there is none.
    ///   - isToldOfFamily: whether a monitor reports when nl80211 appears. If so, a missing nl80211 is not
    ///     searched for again.
    ///   - asksForPowerSave: whether to read the power saving of a station.
    mutating func kernelState(
        _ index: InterfaceIndex, _ known: AddressingState?, isToldOfFamily: Bool, asksForPowerSave: Bool
    ) throws(Failure) -> KernelStateQuery {
        do throws(Failure) {
            return try kernelStateOnce(
                index, known, isToldOfFamily: isToldOfFamily, asksForPowerSave: asksForPowerSave)
        } catch  where error.kind == .noSuchDevice {
            // It may be the master that was removed after the link was read. Then the link has another master
            // now, or none.
            return try kernelStateOnce(
                index, known, isToldOfFamily: isToldOfFamily, asksForPowerSave: asksForPowerSave)
        }
    }

    private mutating func kernelStateOnce(
        _ index: InterfaceIndex, _ known: AddressingState?, isToldOfFamily: Bool, asksForPowerSave: Bool
    ) throws(Failure) -> KernelStateQuery {
        let now = Instant.now
        let link = try linkAndMaster(index)
        let upper = link.hasUpperLayers ? link.port?.upper?.index ?? index : nil
        var wireless = try wireless(index, isToldOfFamily: isToldOfFamily)
        if link.isUp, let found = wireless { wireless?.heard = try heardNetworks(by: found, index) }
        var kernelState = KernelState(link: link, wireless: wireless)
        var reading: AddressingState?
        if let upper {
            let addressing = if let known, known.index == upper { known } else { try addressing(of: upper) }
            if addressing != known { reading = addressing }
            kernelState.addresses = addressing.addresses
            kernelState.gateways = try gateways(addressing.gateways, on: upper)
        }
        if asksForPowerSave, wireless?.role == .station { kernelState.savesPower = try savesPower(index) }
        return KernelStateQuery(kernelState: kernelState, reading: reading.map { ($0, now) })
    }
}
