import CLinux
import Foundation
import Glibc
import Testing

@testable import Platform

@MainActor @Suite(.serialized, .timeLimit(.minutes(1)))
struct SourceTests {
    @Test("a timer fires once, not before its deadline, and not inside the call", arguments: [0, 30, -1000])
    func fires(milliseconds: Int64) async {
        var fired: [Int64] = []
        let timer = TimerSource { fired.append(BootClock.now()) }
        let deadline = BootClock.now() + milliseconds * 1_000_000
        timer.schedule(atBootNanoseconds: deadline)
        #expect(fired.isEmpty)
        #expect(await eventually { !fired.isEmpty }, "the timer did not fire within 20 s")
        #expect(fired[0] >= deadline)
        try? await Task.sleep(for: .milliseconds(30))
        #expect(fired.count == 1)
    }

    @Test("a timer that is scheduled again forgets its earlier deadline, and can be used again")
    func again() async {
        var count = 0
        let timer = TimerSource { count += 1 }
        timer.schedule(atBootNanoseconds: BootClock.now() + 10_000_000)
        timer.schedule(atBootNanoseconds: .max)
        timer.schedule(atBootNanoseconds: .min)
        #expect(await eventually { count == 1 })
        timer.schedule(atBootNanoseconds: BootClock.now() + 1_000_000)
        #expect(await eventually { count == 2 })
        timer.schedule(atBootNanoseconds: BootClock.now() + 5_000_000)
        timer.cancel()
        timer.cancel()
        let other = TimerSource { count += 100 }
        other.schedule(atBootNanoseconds: BootClock.now() + 20_000_000)
        #expect(
            await eventually { count == 102 }, "the cancelled timer fired, or the other did not: \(count)")
        timer.schedule(atBootNanoseconds: 0)
        #expect(await eventually { count == 103 })
    }

    @Test("the resume source fires behind the deadline, and not at all when it is disarmed")
    func resume() async throws {
        var fired: [Int64] = []
        let source = try ResumeSource { fired.append(BootClock.now()) }
        let never = try ResumeSource { Issue.record("a disarmed source fired") }
        let deadline = BootClock.now() - 900_000_000
        never.schedule(atBootNanoseconds: deadline)
        never.cancel()
        source.schedule(atBootNanoseconds: deadline)
        #expect(await eventually { !fired.isEmpty }, "it did not fire within 20 s")
        #expect(fired[0] >= deadline + 1_000_000_000)
        try? await Task.sleep(for: .milliseconds(30))
        #expect(fired.count == 1, "a source that is not read fires for ever")
        source.schedule(atBootNanoseconds: .max)
        source.schedule(atBootNanoseconds: .min)
        #expect(await eventually { fired.count == 2 }, "it did not fire within 20 s")
    }

    @Test(
        "each signal runs the handler with its number, also one that comes at once",
        arguments: SignalSources.all)
    func signals(number: Int32) async throws {
        var seen: [Int32] = []
        let sources = try SignalSources([number]) { seen.append($0) }
        kill(getpid(), number)
        #expect(await eventually { seen == [number] }, "seen: \(seen)")
        sources.cancel()
        kill(getpid(), number)
        try await Task.sleep(for: .milliseconds(20))
        #expect(seen == [number], "a signal after the end has no effect")
    }

    @Test("a flood of signals neither blocks nor is lost whole")
    func flood() async throws {
        var seen = 0
        let sources = try SignalSources([SIGUSR2]) { _ in seen += 1 }
        // More than a pipe holds, while nobody reads.
        for _ in 0..<100_000 { kill(getpid(), SIGUSR2) }
        #expect(await eventually { seen > 0 }, "not one was seen")
        sources.cancel()
    }

    @Test("a cancelled source closes the descriptor that it owns, and only that", arguments: [false, true])
    func owned(isOwning: Bool) async {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        let reading = ends[0]
        var source: MainQueueSource? = .reading(reading, owning: isOwning) {}
        withExtendedLifetime(source) {}
        source = nil
        if isOwning {
            // A number is free again for others as soon as it is closed, so look for a pipe without a reader.
            Output.ignoreBrokenPipes()
            let isBroken = await eventually { write(ends[1], "x", 1) == -1 && errno == EPIPE }
            #expect(isBroken, "the descriptor was not closed within 20 s")
        } else {
            try? await Task.sleep(for: .milliseconds(20))
            #expect(fcntl(reading, F_GETFD) != -1)
            close(reading)
        }
        close(ends[1])
    }

    @Test("an error alone wakes a polling source, which a read source sleeps through")
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
        let source = try MainQueueSource.polling(descriptor, for: .reading) { isWoken = true }
        let connected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, 16) }
        }
        #expect(connected == 0)
        send(descriptor, "x", 1, 0)  // nobody listens: port unreachable
        #expect(await eventually { isWoken }, "the error did not wake the source within 20 s")
        source.cancel()
    }

    /// Dispatch's own thread walks the sources of a descriptor that hangs up while the main queue may be
    /// cancelling them: without care the process dies now and then, and with ThreadSanitizer at once.
    @Test("a descriptor whose far end hangs up can be let go at once, thousands of times")
    func hangups() async {
        var heard = 0
        let (rounds, atOnce) = (400, 50)
        for round in 1...rounds {
            for _ in 0..<atOnce {
                var ends: [Int32] = [0, 0]
                #expect(pipe(&ends) == 0)
                var source: MainQueueSource?
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
