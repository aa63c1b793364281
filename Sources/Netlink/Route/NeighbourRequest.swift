import CNetlink
import Glibc
import Model

/// Requests neighbour entries, and changes them (RTM_GETNEIGH, RTM_NEWNEIGH, RTM_DELNEIGH, rtnetlink(7)).
enum NeighbourRequest {
    /// Requests the entries of one interface, both families. An older kernel may send the entries of all
    /// interfaces.
    /// - Parameter isProxy: whether to request the proxy entries instead (NTF_PROXY), which have a table of
    ///   their own.
    static func all(on index: InterfaceIndex, isProxy: Bool = false) -> Request {
        var header = ndmsg()
        header.ndm_flags = isProxy ? UInt8(NTF_PROXY) : 0
        return Request(
            RTM_GETNEIGH, flags: NLM_F_DUMP, header: header,
            attributes: [Request.Attribute(NDA_IFINDEX, Array(of: index.rawValue))])
    }

    /// Requests one entry (Linux 5.0 and later).
    static func of(_ address: IPAddress, on index: InterfaceIndex) -> Request {
        entry(RTM_GETNEIGH, of: address, on: index)
    }

    /// Makes the kernel resolve an address as if a packet were to be sent to it (NTF_USE).
    static func resolve(_ address: IPAddress, on index: InterfaceIndex) -> Request {
        entry(RTM_NEWNEIGH, flags: NLM_F_CREATE, of: address, on: index, entryFlags: NTF_USE)
    }

    /// Makes the kernel probe a neighbour by unicast (NUD_PROBE). The message has no link-layer address and
    /// no NLM_F_REPLACE, so that the kernel keeps the rest of the entry, such as its router flag.
    static func verify(_ address: IPAddress, on index: InterfaceIndex) -> Request {
        entry(RTM_NEWNEIGH, of: address, on: index, state: NUD_PROBE)
    }

    /// Resets the state of an entry (NUD_NONE), so that the kernel may send its request again at once.
    /// Packets that wait for the answer stay in the queue.
    static func reset(_ address: IPAddress, on index: InterfaceIndex) -> Request {
        entry(RTM_NEWNEIGH, of: address, on: index, state: NUD_NONE)
    }

    /// As ``resolve(_:on:)``, but only for an address without an entry: if there is one, the kernel fails
    /// with EEXIST (NLM_F_EXCL).
    static func resolveAnew(_ address: IPAddress, on index: InterfaceIndex) -> Request {
        var request = resolve(address, on: index)
        request.flags |= NLM_F_EXCL
        return request
    }

    /// Removes an entry (RTM_DELNEIGH).
    static func remove(_ address: IPAddress, on index: InterfaceIndex) -> Request {
        entry(RTM_DELNEIGH, of: address, on: index)
    }

    /// A request about the entry of one address.
    /// - Parameters:
    ///   - entryFlags: the flags of the entry (NTF_*).
    ///   - state: the state of the entry (NUD_*).
    private static func entry(
        _ type: some BinaryInteger, flags: Int32 = 0, of address: IPAddress, on index: InterfaceIndex,
        entryFlags: Int32 = 0, state: Int32 = 0
    ) -> Request {
        var header = ndmsg()
        header.ndm_family = UInt8(address.family)
        header.ndm_ifindex = index.rawValue
        header.ndm_flags = UInt8(entryFlags)
        header.ndm_state = UInt16(state)
        return Request(
            type, flags: flags, header: header, attributes: [Request.Attribute(NDA_DST, address.bytes)])
    }
}

extension Conversation {
    mutating func neighbours(on index: InterfaceIndex) throws(Failure) -> [NeighbourMessage] {
        try ask(NeighbourRequest.all(on: index), of: route)
            .compactMap { $0.type == RTM_NEWNEIGH ? NeighbourMessage.parse($0.payload) : nil }
            .filter { $0.index == index }
    }

    /// The entry of an address; nil if there is none.
    mutating func neighbour(_ address: IPAddress, on index: InterfaceIndex) throws(Failure) -> Neighbour? {
        do throws(Failure) {
            return try ask(NeighbourRequest.of(address, on: index).forOneMessage, of: route).lazy
                .compactMap { NeighbourMessage.parse($0.payload) }
                .first { $0.index == index && $0.address == address }?.neighbour
        } catch  where error.code == ENOENT {
            return nil
        }
    }

    /// If the kernel is resolving this neighbour (NUD_INCOMPLETE), makes it repeat the request at once,
    /// instead of a second after the last request. Packets that wait for the answer stay in the queue. Does
    /// nothing if the neighbour is in another state.
    mutating func resolveNeighbours(for address: IPAddress, on index: InterfaceIndex) throws(Failure) {
        guard try neighbour(address, on: index)?.state == .incomplete else { return }
        try order(NeighbourRequest.reset(address, on: index), of: route)
        try order(NeighbourRequest.resolve(address, on: index), of: route)
    }

    /// Makes the kernel verify or resolve a neighbour. The kernel announces the outcome to the group
    /// RTNLGRP_NEIGH: NUD_REACHABLE or NUD_FAILED. Fails if the kernel never probes the entry (NUD_PERMANENT,
    /// NUD_NOARP).
    mutating func verifyNeighbour(_ address: IPAddress, on index: InterfaceIndex) throws(Failure) {
        switch try neighbour(address, on: index)?.state {
        case .permanent, .noARP:
            throw Failure(
                kind: .other,
                description: "the neighbour entry of \(address) is fixed, so the kernel does not probe it"
                    + " (use another probe, such as icmp)")
        case .probe, .incomplete:
            return
        case .reachable, .stale, .delay:
            do throws(Failure) {
                try order(NeighbourRequest.verify(address, on: index), of: route)
            } catch  where error.code == ENOENT || error.code == EINVAL {
                // The entry has disappeared, or lost its link-layer address, since it was read.
                try order(NeighbourRequest.resolve(address, on: index), of: route)
            }
        case .some(.none), .failed, nil:
            try order(NeighbourRequest.resolve(address, on: index), of: route)
        }
    }
}
