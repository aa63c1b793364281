import CNetlink
import Glibc
import Model

/// RTM_GETNEIGH, RTM_NEWNEIGH and RTM_DELNEIGH (rtnetlink(7)).
enum NeighbourRequest {
    /// The entries of one interface, both families; a kernel before 4.20 sends those of all interfaces.
    /// - Parameter isProxy: proxy entries instead (NTF_PROXY), which have a table of their own.
    static func all(on index: InterfaceIndex, isProxy: Bool = false) -> Request {
        var header = ndmsg()
        header.ndm_flags = isProxy ? UInt8(NTF_PROXY) : 0
        return Request(
            RTM_GETNEIGH, flags: NLM_F_DUMP, header: header,
            attributes: [Request.Attribute(NDA_IFINDEX, Array(of: index.rawValue))])
    }

    /// One entry (Linux 5.0 and later).
    static func of(_ address: IPAddress, on index: InterfaceIndex) -> Request {
        Request(
            RTM_GETNEIGH, header: header(of: address, on: index),
            attributes: [Request.Attribute(NDA_DST, address.bytes)])
    }

    /// Makes the kernel resolve an address as if a packet were to be sent there (NTF_USE).
    static func resolve(_ address: IPAddress, on index: InterfaceIndex) -> Request {
        var header = header(of: address, on: index)
        header.ndm_flags = UInt8(NTF_USE)
        return Request(
            RTM_NEWNEIGH, flags: NLM_F_CREATE, header: header,
            attributes: [Request.Attribute(NDA_DST, address.bytes)])
    }

    /// Makes the kernel probe the neighbour itself, by unicast (NUD_PROBE). Without a link-layer address and
    /// without NLM_F_REPLACE it keeps everything that it knows about the entry, also that it is a router.
    static func verify(_ address: IPAddress, on index: InterfaceIndex) -> Request {
        var header = header(of: address, on: index)
        header.ndm_state = UInt16(NUD_PROBE)
        return Request(
            RTM_NEWNEIGH, header: header, attributes: [Request.Attribute(NDA_DST, address.bytes)])
    }

    /// Makes the kernel forget that it has sent a request for an address (NUD_NONE). Packets that wait for
    /// the answer go on waiting.
    static func reset(_ address: IPAddress, on index: InterfaceIndex) -> Request {
        Request(
            RTM_NEWNEIGH, header: header(of: address, on: index),
            attributes: [Request.Attribute(NDA_DST, address.bytes)])
    }

    /// The same for an address that has no entry; where it has one, it fails with EEXIST (NLM_F_EXCL).
    static func resolveAnew(_ address: IPAddress, on index: InterfaceIndex) -> Request {
        var request = resolve(address, on: index)
        request.flags |= NLM_F_EXCL
        return request
    }

    /// Removes an entry (RTM_DELNEIGH).
    static func remove(_ address: IPAddress, on index: InterfaceIndex) -> Request {
        Request(
            RTM_DELNEIGH, header: header(of: address, on: index),
            attributes: [Request.Attribute(NDA_DST, address.bytes)])
    }

    private static func header(of address: IPAddress, on index: InterfaceIndex) -> ndmsg {
        var header = ndmsg()
        header.ndm_family = UInt8(address.family)
        header.ndm_ifindex = index.rawValue
        return header
    }
}

extension Conversation {
    mutating func neighbours(on index: InterfaceIndex) throws(Failure) -> [NeighbourMessage] {
        try ask(NeighbourRequest.all(on: index), of: route)
            .compactMap { $0.type == RTM_NEWNEIGH ? NeighbourMessage.parse($0.payload) : nil }
            .filter { $0.index == index }
    }

    /// nil: no entry.
    mutating func neighbour(_ address: IPAddress, on index: InterfaceIndex) throws(Failure) -> Neighbour? {
        do throws(Failure) {
            return try ask(NeighbourRequest.of(address, on: index).forOneMessage, of: route).lazy
                .compactMap { NeighbourMessage.parse($0.payload) }
                .first { $0.index == index && $0.address == address }?.neighbour
        } catch  where error.code == ENOENT {
            return nil
        }
    }

    /// If the kernel is resolving a neighbour (NUD_INCOMPLETE), it sends its request again at once and not a
    /// second after the last one; packets that wait for the answer go on waiting. In other states nothing is
    /// done.
    mutating func resolveNeighbours(for address: IPAddress, on index: InterfaceIndex) throws(Failure) {
        guard try neighbour(address, on: index)?.state == .incomplete else { return }
        try order(NeighbourRequest.reset(address, on: index), of: route)
        try order(NeighbourRequest.resolve(address, on: index), of: route)
    }

    /// Makes the kernel verify or resolve a neighbour, without touching an administrator's entries. The
    /// outcome is announced to RTNLGRP_NEIGH: REACHABLE or FAILED.
    mutating func verifyNeighbour(_ address: IPAddress, on index: InterfaceIndex) throws(Failure) {
        switch try neighbour(address, on: index)?.state {
        case .permanent, .noARP:
            throw Failure(
                kind: .other, description: "the neighbour's entry is permanent: the kernel never asks it")
        case .probe, .incomplete:
            return
        case .reachable, .stale, .delay:
            do throws(Failure) {
                try order(NeighbourRequest.verify(address, on: index), of: route)
            } catch  where error.code == ENOENT || error.code == EINVAL {
                // Since it was read, the entry is gone or has lost its link-layer address.
                try order(NeighbourRequest.resolve(address, on: index), of: route)
            }
        case .some(.none), .failed, nil:
            try order(NeighbourRequest.resolve(address, on: index), of: route)
        }
    }
}
