import CNetlink
import Glibc
import Model

/// Requests to nl80211. If the kernel has no nl80211, there is no Wi-Fi: that is a valid answer, not a
/// failure.
extension Conversation {
    mutating func wirelessInterfaces() throws(Failure) -> [InterfaceIndex: Wireless] {
        var found: [InterfaceIndex: Wireless] = [:]
        guard let (family, interfaces) = try interfaces(nil) else { return found }
        for interface in interfaces {
            do throws(Failure) {
                found[interface.index] = try wireless(interface, family)
            } catch  where error.kind == .noSuchDevice {
                continue  // unplugged during the request
            }
        }
        return found
    }

    /// Returns nil if this is not a Wi-Fi interface.
    /// - Parameter isToldOfFamily: whether a monitor reports when nl80211 appears. If so, a missing nl80211
    ///   is not searched for again.
    mutating func wireless(
        _ index: InterfaceIndex, isToldOfFamily: Bool = false
    ) throws(Failure) -> Wireless? {
        do throws(Failure) {
            guard let (family, interfaces) = try interfaces(index, isToldOfFamily: isToldOfFamily),
                let interface = interfaces.first(where: { $0.index == index })
            else { return nil }
            return try wireless(interface, family)
        } catch  where error.code == ENODEV {
            return nil
        }
    }

    /// Requests one interface or all, and returns them with the family's current number. The stored number
    /// may belong to a module that was unloaded since (ENOENT); then it is read again. Returns nil if the
    /// kernel has no nl80211.
    private mutating func interfaces(
        _ index: InterfaceIndex?, isToldOfFamily: Bool = false
    ) throws(Failure) -> (family: UInt16, interfaces: [InterfaceMessage])? {
        if let family = wirelessFamily.value {
            do throws(Failure) {
                return (family, try interfaces(index, family))
            } catch  where error.code == ENOENT {
                wirelessFamily.value = nil
            }
        }
        if wirelessFamily.isMissing(isTold: isToldOfFamily) { return nil }
        guard let family = try family(named: NL80211_GENL_NAME)?.id else {
            wirelessFamily.noteMissing()
            return nil
        }
        wirelessFamily.value = family
        return (family, try interfaces(index, family))
    }

    private mutating func interfaces(
        _ index: InterfaceIndex?, _ family: UInt16
    ) throws(Failure) -> [InterfaceMessage] {
        let request = InterfaceMessage.request(family: family, index: index)
        return try ask(index == nil ? request : request.forOneMessage, of: generic)
            .compactMap { InterfaceMessage.parse($0.payload) }
    }

    private mutating func wireless(
        _ interface: InterfaceMessage, _ family: UInt16
    ) throws(Failure) -> Wireless {
        Wireless(
            role: interface.role, phy: interface.phy,
            association: interface.role.isClient ? try association(interface, family) : nil)
    }

    /// Finds the access point that a station is associated with. Requests the stations first, which are few.
    /// Requests the scan results, which may be many, only if the driver does not list its access point as a
    /// station or lists several, or if the interface reports no SSID or no frequency.
    private mutating func association(
        _ interface: InterfaceMessage, _ family: UInt16
    ) throws(Failure) -> Association? {
        let stations = try answers(StationMessage.request(family: family, index: interface.index))
        // wilc1000 and rndis_wlan list such an entry while they are not connected.
        let entries = (stations?.compactMap { StationMessage.parse($0.payload) } ?? []).filter {
            $0.address.bytes.contains { $0 != 0 }
        }
        let associated = entries.filter(\.isAssociated)
        // A TDLS peer exists only beside the access point, so a single station is the access point.
        let accessPoint =
            associated.first { !$0.isDirect } ?? (associated.count == 1 ? associated.first : nil)
        if associated.isEmpty, !entries.isEmpty { return nil }
        var association = accessPoint.map {
            Association(
                bssid: $0.address, ssid: interface.ssid, frequency: interface.frequency,
                station: $0.information)
        }
        if association?.ssid != nil, association?.frequency != nil { return association }
        if stations != nil, associated.isEmpty, interface.ssid == nil { return nil }
        guard let bss = try associatedBSS(interface.index, family) else { return association }
        association =
            association
            ?? Association(
                bssid: bss.bssid,
                station: associated.first { $0.address == bss.bssid }?.information ?? StationInformation())
        // If the association has several links (MLO), the station message has the MLD address, which stands
        // for all links together. A scan finds the access point only by the address of one link.
        association?.bssid = bss.bssid
        association?.ssid = interface.ssid ?? bss.ssid
        association?.frequency = interface.frequency ?? bss.frequency
        return association
    }

    /// The networks that a station without association has found (NL80211_CMD_GET_SCAN). Empty for every
    /// other interface, and if any entry of the answer cannot be read. The request starts no scan.
    mutating func heardNetworks(by wireless: Wireless, _ index: InterfaceIndex) throws(Failure)
        -> [HeardNetwork]
    {
        guard wireless.role == .station, wireless.association == nil, let family = wirelessFamily.value,
            let messages = try answers(ScanMessage.request(family: family, index: index))
        else { return [] }
        let heard = messages.compactMap { message in
            ScanMessage.parse(message.payload).flatMap { bss in
                bss.ago.map { HeardNetwork(ssid: bss.ssid, ago: $0) }
            }
        }
        return heard.count == messages.count ? heard : []
    }

    /// The scan result for the access point. If the association has several links (MLO), the one with the
    /// lowest frequency.
    private mutating func associatedBSS(
        _ index: InterfaceIndex, _ family: UInt16
    ) throws(Failure) -> ScanMessage? {
        try answers(ScanMessage.request(family: family, index: index))?.lazy
            .compactMap { ScanMessage.parse($0.payload) }.filter(\.isAssociated)
            .min { ($0.frequency ?? .max) < ($1.frequency ?? .max) }
    }

    /// Returns nil if the driver does not support this request, or is busy. The caller does without the
    /// answer.
    private mutating func answers(_ request: Request) throws(Failure) -> [Message]? {
        do throws(Failure) {
            return try ask(request, of: generic)
        } catch  where error.kind == .other || error.kind == .busy {
            return nil
        }
    }
}
