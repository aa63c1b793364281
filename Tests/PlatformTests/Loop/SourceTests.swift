import CLinux
import Foundation
import Glibc
import Model
import TestSupport
import Testing

@testable import Platform

@MainActor @Suite(.serialized, .timeLimit(.minutes(10)))
struct SourceTests {
    @Test("a timer fires once, not before its deadline, and not inside the call", arguments: [0, 30, -1000])
    func fires(milliseconds: Int64) async {
        var fired: [Int64] = []
        let timer = TimerSource { fired.append(BootClock.now()) }
        let deadline = BootClock.now() + milliseconds * 1_000_000
        timer.schedule(at: Instant(nanoseconds: deadline))
        #expect(fired.isEmpty)
        #expect(await eventually { !fired.isEmpty }, "the timer did not fire within 20 s")
        #expect(fired[0] >= deadline)
        await runLoop(for: .milliseconds(30))
        #expect(fired.count == 1)
    }

    @Test("a timer that is scheduled again forgets its earlier deadline, and can be used again")
    func again() async {
        var count = 0
        let timer = TimerSource { count += 1 }
        timer.schedule(after: .milliseconds(10))
        timer.schedule(at: Instant(nanoseconds: .max))
        timer.schedule(at: Instant(nanoseconds: .min))
        #expect(await eventually { count == 1 })
        timer.schedule(after: .milliseconds(1))
        #expect(await eventually { count == 2 })
        timer.schedule(after: .milliseconds(5))
        timer.cancel()
        timer.cancel()
        let other = TimerSource { count += 100 }
        other.schedule(after: .milliseconds(20))
        #expect(
            await eventually { count == 102 }, "the cancelled timer fired, or the other did not: \(count)")
        timer.schedule(at: Instant(nanoseconds: 0))
        #expect(await eventually { count == 103 })
    }

    @Test("work that continues in the next turn of the loop lets a ready descriptor be read in between")
    func nextTurn() async {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        var (parts, partsSeen) = (0, [Int]())
        func work() {
            parts += 1
            if parts < 100 { EventLoop.nextTurn(work) }
            if parts == 3 { #expect(write(ends[1], "x", 1) == 1) }
        }
        let source = EventSource.reading(ends[0], owning: true) {
            var byte: UInt8 = 0
            if read(ends[0], &byte, 1) == 1 { partsSeen.append(parts) }
        }
        EventLoop.nextTurn(work)
        #expect(parts == 0, "not inside the call")
        #expect(await eventually { parts == 100 })
        #expect(partsSeen == [3])
        source.cancel()
        close(ends[1])
    }

    @Test("a source for the closing of a pipe is told when its reader is gone, and not before")
    func closing() async throws {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        var isTold = false
        let source = try EventSource.polling(ends[1], for: .closing, owning: true) { isTold = true }
        #expect(write(ends[1], "x", 1) == 1)
        await runLoop(for: .milliseconds(30))
        #expect(!isTold, "the pipe can still be read")
        close(ends[0])
        #expect(await eventually { isTold })
        source.cancel()
    }

    @Test("without a suspend, the source of resume events does not fire")
    func resume() async throws {
        var source: ResumeSource? = try ResumeSource { Issue.record("nothing has slept") }
        await runLoop(for: .milliseconds(30))
        withExtendedLifetime(source) {}
        source = nil
    }

    @Test("several sources can watch one descriptor for reading and writing, each until cancelled")
    func shared() async throws {
        var ends: [Int32] = [0, 0]
        #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0, &ends) == 0)
        var (first, second, writable) = (0, 0, 0)
        let reader = try EventSource.polling(ends[0], for: .reading) { first += 1 }
        let other = try EventSource.polling(ends[0], for: .reading) { second += 1 }
        let writer = try EventSource.polling(ends[0], for: .writing) { writable += 1 }
        #expect(await eventually { writable > 0 })
        #expect(first == 0 && second == 0, "there is nothing to read")
        writer.cancel()
        let written = writable
        #expect(write(ends[1], "x", 1) == 1)
        #expect(await eventually { first > 0 && second > 0 })
        other.cancel()
        (first, second) = (0, 0)
        #expect(await eventually { first > 0 })
        #expect(second == 0 && writable == written, "who has let go hears nothing")
        reader.cancel()
        for end in ends { close(end) }
    }

    @Test("a regular file is readable in each turn until its source is cancelled")
    func file() async {
        var (reads, byte) = (0, UInt8(0))
        let file = open("/etc/passwd", O_RDONLY | O_CLOEXEC)
        let source = EventSource.reading(file, owning: true) { reads += read(file, &byte, 1) }
        #expect(await eventually { reads > 2 }, "a file is always ready")
        source.cancel()
        let seen = reads
        await runLoop(for: .milliseconds(20))
        #expect(reads == seen)
    }

    @Test(
        "blocks for the next turn of the loop run in their order, and never inside the call")
    func soon() async {
        var order: [Int] = []
        EventLoop.soon {
            order.append(1)
            EventLoop.soon { order.append(3) }
        }
        EventLoop.soon { order.append(2) }
        #expect(order.isEmpty)
        #expect(await eventually { order.count == 3 })
        #expect(order == [1, 2, 3])
    }

    @Test(
        "a signal calls the handler with its number, even right after the start, and not after the end",
        arguments: SignalSources.all)
    func signals(number: Int32) async throws {
        var seen: [Int32] = []
        let sources = try SignalSources([number]) { seen.append($0) }
        kill(getpid(), number)
        #expect(await eventually { seen == [number] }, "seen: \(seen)")
        sources.cancel()
        kill(getpid(), number)
        await runLoop(for: .milliseconds(20))
        #expect(seen == [number], "a signal after the end has no effect")
    }

    @Test("a signal that comes before the handlers start is delivered then, or dropped if they never start")
    func signalsLater() async throws {
        var seen: [Int32] = []
        let sources = try SignalSources([SIGUSR1, SIGUSR2], atOnce: false) { seen.append($0) }
        // raise() sends the signal to this thread. In any other thread it would end the test process.
        raise(SIGUSR2)
        try sources.start()
        #expect(await eventually { seen == [SIGUSR2] }, "seen: \(seen)")
        kill(getpid(), SIGUSR1)
        #expect(await eventually { seen == [SIGUSR2, SIGUSR1] }, "seen: \(seen)")
        sources.cancel()
        let unheard = try SignalSources([SIGUSR2], atOnce: false) { seen.append($0) }
        raise(SIGUSR2)
        unheard.cancel()
        await runLoop(for: .milliseconds(20))
        #expect(seen == [SIGUSR2, SIGUSR1])
    }

    @Test("a flood of signals neither blocks nor is lost entirely")
    func flood() async throws {
        var seen = 0
        let sources = try SignalSources([SIGUSR2]) { _ in seen += 1 }
        // More signals than a pipe's buffer holds, while nothing reads the pipe.
        for _ in 0..<100_000 { kill(getpid(), SIGUSR2) }
        #expect(await eventually { seen > 0 }, "not one was seen")
        sources.cancel()
    }

    @Test(
        "a released source closes its descriptor if it owns the descriptor, and not otherwise",
        arguments: [false, true])
    func owned(isOwning: Bool) async {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        let reading = ends[0]
        var source: EventSource? = .reading(reading, owning: isOwning) {}
        withExtendedLifetime(source) {}
        source = nil
        if isOwning {
            // Another test may reuse the closed descriptor's number at once, so check that the pipe has no
            // reader.
            Output.ignoreBrokenPipes()
            let isBroken = await eventually { write(ends[1], "x", 1) == -1 && errno == EPIPE }
            #expect(isBroken, "the descriptor was not closed within 20 s")
        } else {
            await runLoop(for: .milliseconds(20))
            #expect(fcntl(reading, F_GETFD) != -1)
            close(reading)
        }
        close(ends[1])
    }

    @Test("an error on a descriptor wakes a polling source")
    func errors() async throws {
        let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
        defer { close(descriptor) }
        var yes: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_IP), IP_RECVERR, &yes, 4)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(9).bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var isWoken = false
        let source = try EventSource.polling(descriptor, for: .reading) { isWoken = true }
        let connected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, 16) }
        }
        #expect(connected == 0)
        send(descriptor, "x", 1, 0)  // no listener: port unreachable
        #expect(await eventually { isWoken }, "the error did not wake the source within 20 s")
        source.cancel()
    }

    @Test("a source on a reused descriptor number gets no event of the earlier descriptor")
    func reusedNumber() async {
        let pipes = Pipes()
        for _ in 0..<40 { pipes.open { pipes.renew() } }
        for end in pipes.writing { #expect(write(end, "x", 1) == 1) }
        #expect(await eventually { pipes.turns > 0 })
        await runLoop(for: .milliseconds(20))
        #expect(pipes.turns == 1 && !pipes.isNewHeard)
        pipes.close()
    }

    /// Pipes with an event source for each reading end.
    @MainActor private final class Pipes {
        private var sources: [EventSource] = []
        private(set) var writing: [Int32] = []
        private(set) var turns = 0
        private(set) var isNewHeard = false

        func open(_ handler: @escaping @MainActor () -> Void) {
            var ends: [Int32] = [0, 0]
            #expect(pipe(&ends) == 0)
            writing.append(ends[1])
            sources.append(.reading(ends[0], owning: true, handler))
        }

        /// Closes all pipes and opens new ones, which get the same numbers, while events of the closed pipes
        /// are still to be handled in this turn.
        func renew() {
            turns += 1
            guard turns == 1 else { return }
            let count = sources.count
            for source in sources { source.cancel() }
            for _ in 0..<count { open { self.isNewHeard = true } }
        }

        func close() {
            for source in sources { source.cancel() }
            sources = []
            for end in writing { Glibc.close(end) }
        }
    }

    @Test("a source whose descriptor's peer hangs up can be cancelled at once, thousands of times")
    func hangups() async {
        var heard = 0
        let (rounds, atOnce) = (400, 50)
        for round in 1...rounds {
            for _ in 0..<atOnce {
                var ends: [Int32] = [0, 0]
                #expect(pipe(&ends) == 0)
                var source: EventSource?
                source = .reading(ends[0], owning: true) {
                    heard += 1
                    source?.cancel()
                    source = nil
                }
                close(ends[1])
            }
            let isComplete = await eventually { heard == round * atOnce }
            #expect(isComplete, "\(heard) of \(round * atOnce) were heard within 20 s")
            guard isComplete else { return }
        }
    }
}
