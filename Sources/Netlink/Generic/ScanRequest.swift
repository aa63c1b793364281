import CNetlink
import Glibc
import Model
import Platform

/// Requests that start and end scans (linux/nl80211.h).
enum ScanRequest {
    /// Starts a scan of one frequency for one network by its name (NL80211_CMD_TRIGGER_SCAN).
    static func begin(for accessPoint: AccessPoint, on index: InterfaceIndex, family: UInt16) -> Request {
        var request = Request.nl80211(NL80211_CMD_TRIGGER_SCAN, family: family, index: index, flags: 0)
        request.attributes += [
            list(NL80211_ATTR_SCAN_FREQUENCIES, of: Array(of: accessPoint.frequency)),
            list(NL80211_ATTR_SCAN_SSIDS, of: accessPoint.ssid.bytes),
        ]
        return request
    }

    /// Ends the scan under way, whichever program has started it (NL80211_CMD_ABORT_SCAN, Linux 4.5 and
    /// later).
    static func abort(on index: InterfaceIndex, family: UInt16) -> Request {
        .nl80211(NL80211_CMD_ABORT_SCAN, family: family, index: index, flags: 0)
    }

    /// Makes a nested attribute with one item. The item has the number 1; nl80211 takes items in their order.
    private static func list(_ type: nl80211_attrs, of value: [UInt8]) -> Request.Attribute {
        Request.Attribute(Int32(type.rawValue) | NLA_F_NESTED, Request.Attribute(1, value).bytes)
    }
}

extension Scan {
    /// Reads which frequencies and networks a scan is for, from a message of NL80211_CMD_TRIGGER_SCAN.
    init(attributes: Attributes) {
        let frequencies = attributes[NL80211_ATTR_SCAN_FREQUENCIES]?.nested.all ?? []
        let names = attributes[NL80211_ATTR_SCAN_SSIDS]?.nested.all ?? []
        self.init(
            frequencies: frequencies.compactMap { $0.payload.number() },
            // An empty SSID means a scan for all networks, so it is no name.
            names: names.compactMap { SSID(validating: $0.payload) })
    }
}

extension Conversation {
    mutating func directedScan(to accessPoint: AccessPoint, on index: InterfaceIndex) throws(Failure) {
        guard let family = wirelessFamily.value else { throw .notHeard }
        try order(ScanRequest.begin(for: accessPoint, on: index, family: family), of: generic)
    }

    mutating func abortScan(
        for accessPoint: AccessPoint, heardSince since: Instant, on index: InterfaceIndex
    ) throws(Failure) -> Duration {
        guard let family = wirelessFamily.value else { throw .notHeard }
        let heard = try ask(ScanMessage.request(family: family, index: index), of: generic).lazy
            .compactMap { ScanMessage.parse($0.payload) }
            .first {
                $0.bssid == accessPoint.bssid && $0.ssid == accessPoint.ssid
                    && $0.frequency == accessPoint.frequency
            }
        let now = Instant.now
        guard let ago = heard?.ago, now + (.zero - ago) >= since else { throw .notHeard }
        try order(ScanRequest.abort(on: index, family: family), of: generic)
        return ago
    }
}

extension Failure {
    fileprivate static let notHeard = Failure(
        kind: .unavailable, description: "the kernel has not heard the network since then")
}

extension NetlinkCommands {
    /// Starts a directed scan: of the access point's frequency only, with its SSID in the probe request
    /// (NL80211_CMD_TRIGGER_SCAN). Completes as soon as the scan has started; a `NetlinkMonitor` reports its
    /// end, unless the scan is aborted.
    public func directedScan(
        to accessPoint: AccessPoint, on index: InterfaceIndex, _ done: @escaping Completion<Void>
    ) {
        ask({ (kernel) throws(Failure) in try kernel.directedScan(to: accessPoint, on: index) }, done)
    }

    /// Ends the scan under way (NL80211_CMD_ABORT_SCAN) if the kernel has received a frame from the access
    /// point since the instant `since` (NL80211_CMD_GET_SCAN). Completes with the time since that frame.
    /// Otherwise fails with `.unavailable`, and the scan continues.
    public func abortScan(
        for accessPoint: AccessPoint, heardSince since: Instant, on index: InterfaceIndex,
        _ done: @escaping Completion<Duration>
    ) {
        ask(
            { (kernel) throws(Failure) in
                try kernel.abortScan(for: accessPoint, heardSince: since, on: index)
            }, done)
    }
}
