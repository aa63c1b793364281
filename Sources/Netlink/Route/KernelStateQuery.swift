import Model
import Platform

/// The kernel's answer about an interface.
struct KernelStateQuery: Sendable {
    /// Everything but the rfkill block, which netlink does not report.
    var kernelState: KernelState
    /// Addresses and gateways with the time of their reading, if they were read for this.
    var reading: (addressing: AddressingState, at: Instant)?
}

extension Conversation {
    /// - Parameters:
    ///   - known: its addressing state, if it need not be read.
    ///   - isToldOfFamily: if nl80211 was missing, it need not be searched for again.
    mutating func kernelState(
        _ index: InterfaceIndex, _ known: AddressingState?, isToldOfFamily: Bool, asksForPowerSave: Bool
    ) throws(Failure) -> KernelStateQuery {
        let now = Instant(nanoseconds: BootClock.now())
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
