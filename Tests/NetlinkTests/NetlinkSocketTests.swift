import CNetlink
import Dispatch
import Glibc
import Model
import TestSupport
import Testing

@testable import Netlink

@Suite("A netlink socket") struct NetlinkSocketTests {
    /// Datagrams as recvmmsg(2) writes them into memory.
    private func joined(_ datagrams: [(bytes: [UInt8], sender: UInt32)], length: UInt32? = nil) throws
        -> [UInt8]
    {
        let memory = UnsafeMutablePointer<UInt8>.allocate(
            capacity: NetlinkSocket.largestDatagram * datagrams.count)
        defer { memory.deallocate() }
        var found: [netlink_datagram] = []
        for (number, datagram) in datagrams.enumerated() {
            let place = memory + number * NetlinkSocket.largestDatagram
            place.update(from: datagram.bytes, count: datagram.bytes.count)
            found.append(
                netlink_datagram(length: length ?? UInt32(datagram.bytes.count), sender: datagram.sender))
        }
        return try found.withUnsafeBufferPointer { try NetlinkSocket.joined($0[...], memory) }
    }

    @Test("received datagrams are joined with padding, and those of other senders dropped")
    func joining() throws {
        #expect(
            try joined([([1, 2, 3, 4, 5], 0), ([6], 77), ([7, 8], 0)]) == [1, 2, 3, 4, 5, 0, 0, 0, 7, 8])
        #expect(try joined([([6], 77)]).isEmpty)
        #expect(try joined([([1, 2, 3, 4], 0), ([5], 0)]) == [1, 2, 3, 4, 5])
    }

    @Test("a truncated datagram is an error")
    func cut() {
        let length = UInt32(NetlinkSocket.largestDatagram + 1)
        #expect(throws: Failure.self) { try joined([([1], 0)], length: length) }
    }

    /// Any user may read the loopback interface.
    @Test(
        "a dump is read to its end, on a brief and on a lasting socket", arguments: [true, false])
    func dump(isBrief: Bool) throws {
        let socket = try NetlinkSocket(NETLINK_ROUTE, isBrief ? .brief : .lasting)
        let request = Request(RTM_GETLINK, flags: NLM_F_DUMP, header: ifinfomsg())
        try socket.send(try #require(request.bytes(sequence: 7)))
        var messages: [Message] = []
        while messages.last?.type != NLMSG_DONE {
            let bytes = try #require(try socket.receive(), "nothing more came")
            messages += Message.split(bytes)
        }
        #expect(messages.allSatisfy { $0.sequence == 7 })
        #expect(messages.dropLast().contains { $0.type == RTM_NEWLINK })
        #expect(try socket.receive() == nil)
        #expect(socket.isAlive)
    }

    @Test("a signal does not end the wait for a datagram before its deadline")
    func interrupted() throws {
        let socket = try NetlinkSocket(NETLINK_ROUTE)
        let before = signal(SIGURG) { _ in }
        defer { signal(SIGURG, before) }
        let waiter = pthread_self()
        let (isOver, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        DispatchQueue.global().async {
            while isOver.wait(timeout: .now() + .milliseconds(10)) == .timedOut {
                pthread_kill(waiter, SIGURG)
            }
            ended.signal()
        }
        let deadline = DispatchTime.now() + .milliseconds(200)
        let hasArrived = socket.awaitDatagram(until: deadline)
        let end = DispatchTime.now()
        isOver.signal()
        ended.wait()
        #expect(!hasArrived)
        #expect(end >= deadline)
    }

    @Test("a handler that stops its listener is not called again, though more messages have arrived")
    @MainActor func stopped() async throws {
        let socket = try NetlinkSocket(NETLINK_ROUTE)
        var heard = 0
        var listener: Listener?
        // The handler keeps the listener.
        defer { listener = nil }
        listener = try Listener(
            to: socket, overran: {}, broke: {},
            heard: { _ in
                heard += 1
                listener?.stop()
            })
        // The answer is at least the loopback interface and the end of the dump.
        let request = Request(RTM_GETLINK, flags: NLM_F_DUMP, header: ifinfomsg())
        try socket.send(try #require(request.bytes(sequence: 7)))
        #expect(await eventually { heard > 0 })
        await runLoop(for: .milliseconds(50))
        #expect(heard == 1)
    }

    @Test("a lasting socket notices that its descriptor has become another file")
    func end() throws {
        let socket = try NetlinkSocket(NETLINK_ROUTE)
        #expect(socket.isAlive && socket.groups == 0)
        let other = open("/dev/null", O_RDWR | O_CLOEXEC)
        dup2(other, socket.descriptor)
        #expect(!socket.isAlive && socket.groups == nil)
        close(other)
        close(socket.descriptor)
    }
}
