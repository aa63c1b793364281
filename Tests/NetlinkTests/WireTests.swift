import CNetlink
import Glibc
import Model
import Testing

@testable import Netlink

@Suite("Bytes of netlink requests")
struct RequestTests {
    private let wlan = InterfaceIndex(rawValue: 3)

    @Test("lowering a link changes IFF_UP alone")
    func lower() {
        #expect(
            LinkRequest.administrativeState(up: false, of: wlan).bytes(sequence: 7) == [
                0x20, 0x00, 0x00, 0x00,  // nlmsg_len 32
                0x13, 0x00, 0x05, 0x00,  // nlmsg_type RTM_SETLINK, nlmsg_flags REQUEST, ACK
                0x07, 0x00, 0x00, 0x00,  // nlmsg_seq 7
                0x00, 0x00, 0x00, 0x00,  // nlmsg_pid: the kernel fills in the sender's
                0x00, 0x00, 0x00, 0x00,  // ifi_family AF_UNSPEC, padding, ifi_type
                0x03, 0x00, 0x00, 0x00,  // ifi_index 3
                0x00, 0x00, 0x00, 0x00,  // ifi_flags: not UP
                0x01, 0x00, 0x00, 0x00,  // ifi_change: UP
            ])
    }

    @Test("raising a link changes IFF_UP alone")
    func raise() {
        #expect(
            LinkRequest.administrativeState(up: true, of: wlan).bytes(sequence: 7)?.suffix(8) == [
                0x01, 0x00, 0x00, 0x00,  // ifi_flags UP
                0x01, 0x00, 0x00, 0x00,  // ifi_change UP
            ])
    }

    @Test("a link is looked up by name without a dump")
    func named() {
        #expect(
            LinkRequest.named("wlan0").bytes(sequence: 1) == [
                0x2c, 0x00, 0x00, 0x00,  // nlmsg_len 44
                0x12, 0x00, 0x05, 0x00,  // nlmsg_type RTM_GETLINK, nlmsg_flags REQUEST, ACK
                0x01, 0x00, 0x00, 0x00,  // nlmsg_seq 1
                0x00, 0x00, 0x00, 0x00,  // nlmsg_pid
                0x00, 0x00, 0x00, 0x00,  // ifi_family AF_UNSPEC, padding, ifi_type
                0x00, 0x00, 0x00, 0x00,  // ifi_index: by name
                0x00, 0x00, 0x00, 0x00,  // ifi_flags
                0x00, 0x00, 0x00, 0x00,  // ifi_change
                0x0a, 0x00, 0x03, 0x00,  // nla_len 10, IFLA_IFNAME
                0x77, 0x6c, 0x61, 0x6e, 0x30, 0x00, 0x00, 0x00,  // "wlan0", NUL, padding
            ])
    }

    @Test("an overlong name is looked up among the alternative names")
    func alternativeName() throws {
        let fifteen = try #require(LinkRequest.named("wlx00c0caab1234").bytes(sequence: 1))
        let sixteen = try #require(LinkRequest.named("wlx00c0caab12345").bytes(sequence: 1))
        #expect(fifteen[34] == 3)  // IFLA_IFNAME
        #expect(sixteen[34] == 53)  // IFLA_ALT_IFNAME
    }

    @Test("routes are requested by interface, in every table")
    func routes() {
        #expect(
            RouteRequest.of(wlan, family: AF_INET).bytes(sequence: 2) == [
                0x24, 0x00, 0x00, 0x00,  // nlmsg_len 36
                0x1a, 0x00, 0x05, 0x03,  // nlmsg_type RTM_GETROUTE, nlmsg_flags REQUEST, ACK, DUMP
                0x02, 0x00, 0x00, 0x00,  // nlmsg_seq 2
                0x00, 0x00, 0x00, 0x00,  // nlmsg_pid
                0x02, 0x00, 0x00, 0x00,  // rtm_family AF_INET, rtm_dst_len, rtm_src_len, rtm_tos
                0x00, 0x00, 0x00, 0x00,  // rtm_table any, rtm_protocol, rtm_scope, rtm_type
                0x00, 0x00, 0x00, 0x00,  // rtm_flags
                0x08, 0x00, 0x04, 0x00,  // nla_len 8, RTA_OIF
                0x03, 0x00, 0x00, 0x00,  // 3
            ])
    }

    @Test("addresses are requested by interface, for both families")
    func addresses() {
        #expect(
            AddressRequest.of(wlan).bytes(sequence: 2)?.dropFirst(16) == [
                0x00, 0x00, 0x00, 0x00,  // ifa_family AF_UNSPEC, ifa_prefixlen, ifa_flags, ifa_scope
                0x03, 0x00, 0x00, 0x00,  // ifa_index 3
            ])
    }

    @Test("neighbours are requested with the interface in an attribute")
    func neighbours() {
        #expect(
            NeighbourRequest.all(on: wlan).bytes(sequence: 2)?.dropFirst(16) == [
                0x00, 0x00, 0x00, 0x00,  // ndm_family AF_UNSPEC, padding
                0x00, 0x00, 0x00, 0x00,  // ndm_ifindex: has to be 0 in a dump
                0x00, 0x00, 0x00, 0x00,  // ndm_state, ndm_flags, ndm_type
                0x08, 0x00, 0x08, 0x00,  // nla_len 8, NDA_IFINDEX
                0x03, 0x00, 0x00, 0x00,  // 3
            ])
    }

    @Test("verifying a neighbour does not replace its entry")
    func verify() {
        #expect(
            NeighbourRequest.verify(.v4(0x0a4d_0001), on: wlan).bytes(sequence: 2) == [
                0x24, 0x00, 0x00, 0x00,  // nlmsg_len 36
                0x1c, 0x00, 0x05, 0x00,  // nlmsg_type RTM_NEWNEIGH, nlmsg_flags REQUEST, ACK
                0x02, 0x00, 0x00, 0x00,  // nlmsg_seq 2
                0x00, 0x00, 0x00, 0x00,  // nlmsg_pid
                0x02, 0x00, 0x00, 0x00,  // ndm_family AF_INET, padding
                0x03, 0x00, 0x00, 0x00,  // ndm_ifindex 3
                0x10, 0x00, 0x00, 0x00,  // ndm_state NUD_PROBE, ndm_flags, ndm_type
                0x08, 0x00, 0x01, 0x00,  // nla_len 8, NDA_DST
                0x0a, 0x4d, 0x00, 0x01,  // 10.77.0.1
            ])
    }

    @Test("resolving a neighbour creates its entry and uses it")
    func resolve() {
        #expect(
            NeighbourRequest.resolve(.v6(0xfe80 << 112 | 1), on: wlan).bytes(sequence: 2) == [
                0x30, 0x00, 0x00, 0x00,  // nlmsg_len 48
                0x1c, 0x00, 0x05, 0x04,  // nlmsg_type RTM_NEWNEIGH, nlmsg_flags REQUEST, ACK, CREATE
                0x02, 0x00, 0x00, 0x00,  // nlmsg_seq 2
                0x00, 0x00, 0x00, 0x00,  // nlmsg_pid
                0x0a, 0x00, 0x00, 0x00,  // ndm_family AF_INET6, padding
                0x03, 0x00, 0x00, 0x00,  // ndm_ifindex 3
                0x00, 0x00, 0x01, 0x00,  // ndm_state, ndm_flags NTF_USE, ndm_type
                0x14, 0x00, 0x01, 0x00,  // nla_len 20, NDA_DST
                0xfe, 0x80, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,  // fe80::
                0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01,  // 1
            ])
    }

    @Test("nl80211 is asked for one interface's stations in a dump")
    func stations() {
        #expect(
            StationMessage.request(family: 28, index: wlan).bytes(sequence: 2) == [
                0x1c, 0x00, 0x00, 0x00,  // nlmsg_len 28
                0x1c, 0x00, 0x05, 0x03,  // nlmsg_type 28, nlmsg_flags REQUEST, ACK, DUMP
                0x02, 0x00, 0x00, 0x00,  // nlmsg_seq 2
                0x00, 0x00, 0x00, 0x00,  // nlmsg_pid
                0x11, 0x00, 0x00, 0x00,  // cmd NL80211_CMD_GET_STATION, version, reserved
                0x08, 0x00, 0x03, 0x00,  // nla_len 8, NL80211_ATTR_IFINDEX
                0x03, 0x00, 0x00, 0x00,  // 3
            ])
    }

    @Test("generic netlink families are requested in one dump, so that no module is loaded")
    func families() {
        #expect(
            Family.requestAll.bytes(sequence: 2) == [
                0x14, 0x00, 0x00, 0x00,  // nlmsg_len 20
                0x10, 0x00, 0x05, 0x03,  // nlmsg_type GENL_ID_CTRL, nlmsg_flags REQUEST, ACK, DUMP
                0x02, 0x00, 0x00, 0x00,  // nlmsg_seq 2
                0x00, 0x00, 0x00, 0x00,  // nlmsg_pid
                0x03, 0x02, 0x00, 0x00,  // cmd CTRL_CMD_GETFAMILY, version 2, reserved
            ])
    }
}

@Suite("The kernel's final answer to a request")
struct AcknowledgementTests {
    private func end(type: Int32, flags: Int32, _ payload: [UInt8]) -> Result<Void, Failure>? {
        Message.split(Samples.message(type: type, flags: flags, payload)).first
            .flatMap(Acknowledgement.parse)
    }

    private func failure(type: Int32, flags: Int32, _ payload: [UInt8]) -> Failure? {
        guard case .failure(let failure) = end(type: type, flags: flags, payload) else { return nil }
        return failure
    }

    @Test("errno 0 is the acknowledgement")
    func acknowledged() {
        let zero: [UInt8] = [0x00, 0x00, 0x00, 0x00]  // error 0
        guard
            case .success = end(type: NLMSG_ERROR, flags: NLM_F_CAPPED, zero + Samples.kernelError[4..<20])
        else { return #expect(Bool(false), "not taken for an acknowledgement") }
        guard case .success = end(type: NLMSG_DONE, flags: NLM_F_MULTI, zero) else {
            return #expect(Bool(false), "not taken for the end of a dump")
        }
        #expect(end(type: NLMSG_NOOP, flags: 0, zero) == nil)
    }

    @Test("the kernel's error message is found behind the header of the quoted request")
    func cappedWords() {
        let failure = failure(type: NLMSG_ERROR, flags: NLM_F_CAPPED | NLM_F_ACK_TLVS, Samples.kernelError)
        #expect(failure == Failure(kind: .noSuchDevice, code: ENODEV, description: "gone it"))
    }

    @Test("the kernel's error message is found behind a request that is quoted whole")
    func wholeWords() {
        let payload =
            Samples.kernelError[..<20] + Array(repeating: 0xff, count: 16) + Samples.kernelError[20...]
        let failure = failure(type: NLMSG_ERROR, flags: NLM_F_ACK_TLVS, Array(payload))
        #expect(failure?.description == "gone it")
    }

    @Test("without an error message of the kernel the C library's text for the errno is used")
    func systemWords() {
        let failure = failure(type: NLMSG_ERROR, flags: NLM_F_CAPPED, Array(Samples.kernelError[..<20]))
        #expect(failure == Failure(kind: .noSuchDevice, code: ENODEV, description: "No such device"))
    }

    @Test("a dump may end with an error and a message")
    func failedDump() {
        let payload = Array(Samples.kernelError[..<4] + Samples.kernelError[20...])
        let failure = failure(type: NLMSG_DONE, flags: NLM_F_MULTI | NLM_F_ACK_TLVS, payload)
        #expect(failure == Failure(kind: .noSuchDevice, code: ENODEV, description: "gone it"))
    }

    @Test(
        "each errno is mapped to its kind of failure",
        arguments: [
            (EPERM, Failure.Kind.notPermitted), (EACCES, .notPermitted), (ENODEV, .noSuchDevice),
            (ENXIO, .noSuchDevice), (ENOENT, .noSuchDevice), (ERFKILL, .radioBlocked), (EBUSY, .busy),
            (ENOBUFS, .lost), (ENETDOWN, .other), (EINVAL, .other),
        ])
    func kind(code: Int32, kind: Failure.Kind) {
        #expect(Failure(errno: code).kind == kind)
        #expect(Failure(errno: code).code == code)
    }

    @Test("the text for ERFKILL is that of the C library")
    func radioBlocked() {
        #expect(Failure(errno: ERFKILL).description == "Operation not possible due to RF-kill")
    }
}
