import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Platform

@MainActor @Suite(.serialized, .timeLimit(.minutes(10)))
struct BlockingWorkTests {
    /// Blocks work until it is released.
    private final class Gate: Sendable {
        private let semaphore = DispatchSemaphore(value: 0)
        func await() { semaphore.wait() }
        func open() { semaphore.signal() }
    }

    @Test("the result of blocking work arrives once, later, on the main actor, while the loop goes on")
    func delivered() async {
        let gate = Gate()
        var answers: [Int?] = []
        BlockingWork.perform(
            within: .seconds(20),
            {
                gate.await()
                return 7
            }, { answers.append($0) })
        #expect(answers.isEmpty && BlockingWork.isUnderWay)
        await runLoop(for: .milliseconds(20))
        #expect(answers.isEmpty, "the loop ran while the work was blocked")
        gate.open()
        #expect(await eventually { answers == [7] }, "\(answers)")
        #expect(await eventually { !BlockingWork.isUnderWay })
    }

    @Test(
        "work that misses its deadline gives no result, and counts as under way until it ends")
    func late() async {
        let gate = Gate()
        var answers: [Int?] = []
        var isFree = false
        BlockingWork.perform(
            within: .milliseconds(10),
            {
                gate.await()
                return 7
            }, { answers.append($0) })
        BlockingWork.afterwards { isFree = true }
        #expect(await eventually { answers == [nil] }, "\(answers)")
        #expect(BlockingWork.isUnderWay && !isFree, "its thread may be anywhere still")
        gate.open()
        #expect(await eventually { isFree })
        #expect(!BlockingWork.isUnderWay)
        #expect(answers == [nil])
    }

    @Test("without work under way the completion is called soon, but not inside the call")
    func free() async {
        var isFree = false
        BlockingWork.afterwards { isFree = true }
        #expect(!isFree)
        #expect(await eventually { isFree })
    }

    @Test("each piece of work has its own thread, so that a hung one does not delay the next")
    func beside() async {
        let gate = Gate()
        var answers: [Int] = []
        BlockingWork.perform(within: .seconds(20), { gate.await() }, { _ in answers.append(1) })
        BlockingWork.perform(within: .seconds(20), { 2 }, { answers.append($0 ?? 0) })
        #expect(await eventually { answers == [2] }, "\(answers)")
        gate.open()
        #expect(await eventually { answers == [2, 1] })
        #expect(await eventually { !BlockingWork.isUnderWay })
    }

    /// What the loop has run, by the number of the thread that posted it.
    @MainActor private final class Received {
        var numbers: [Int: [Int]] = [:]
    }

    @Test("blocks that threads post to the loop all run, in each thread's order")
    func posted() async throws {
        let inbox = try #require(LoopInbox.open())
        let (received, threads, each) = (Received(), 4, 2000)
        for thread in 0..<threads {
            Thread.detachNewThread {
                for number in 0..<each { inbox.post { received.numbers[thread, default: []].append(number) } }
            }
        }
        let isComplete = await eventually {
            received.numbers.values.map(\.count).reduce(0, +) == threads * each
        }
        #expect(isComplete)
        for thread in 0..<threads { #expect(received.numbers[thread] == Array(0..<each)) }
    }
}
