import Foundation
import Glibc
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
        var answers: [Result<Int, BlockingWork.Problem>] = []
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
        #expect(await eventually { answers == [.success(7)] }, "\(answers)")
        #expect(await eventually { !BlockingWork.isUnderWay })
    }

    @Test(
        "work that misses its deadline gives no result, and counts as under way until it ends")
    func late() async {
        let gate = Gate()
        var answers: [Result<Int, BlockingWork.Problem>] = []
        var isFree = false
        BlockingWork.perform(
            within: .milliseconds(10),
            {
                gate.await()
                return 7
            }, { answers.append($0) })
        BlockingWork.afterwards { isFree = true }
        #expect(await eventually { answers == [.failure(.late)] }, "\(answers)")
        #expect(BlockingWork.isUnderWay && !isFree, "its thread may be anywhere still")
        gate.open()
        #expect(await eventually { isFree })
        #expect(!BlockingWork.isUnderWay)
        #expect(answers == [.failure(.late)])
    }

    @Test("without work under way, `afterwards` runs its block soon, but not inside the call")
    func free() async {
        var isFree = false
        BlockingWork.afterwards { isFree = true }
        #expect(!isFree)
        #expect(await eventually { isFree })
    }

    @Test("`afterwards` also waits for work that begins after the call")
    func beganMeanwhile() async {
        let gate = Gate()
        var isFree = false
        BlockingWork.afterwards { isFree = true }
        BlockingWork.perform(within: .seconds(20), { gate.await() }, { _ in })
        await runLoop(for: .milliseconds(20))
        #expect(!isFree)
        gate.open()
        #expect(await eventually { isFree })
    }

    @Test("without a thread, work fails instead of blocking the event loop's own thread")
    func noThread() async throws {
        let gate = Gate()
        var answers: [Result<Void, BlockingWork.Problem>] = []
        let isDone = withoutNewThreads {
            // If this ran on the event loop's thread, it would never return.
            BlockingWork.perform(within: .seconds(20), { gate.await() }, { answers.append($0) })
        }
        try #require(isDone)
        #expect(answers.isEmpty, "never inside the call")
        #expect(await eventually { !answers.isEmpty })
        let error = SystemError(call: "pthread_create", code: EAGAIN)
        #expect(throws: BlockingWork.Problem.noThread(error)) { try answers[0].get() }
        #expect(answers.count == 1)
        #expect(await eventually { !BlockingWork.isUnderWay })
    }

    @Test("each piece of work has its own thread, so that a hung one does not delay the next")
    func beside() async {
        let gate = Gate()
        var answers: [Int] = []
        BlockingWork.perform(within: .seconds(20), { gate.await() }, { _ in answers.append(1) })
        BlockingWork.perform(within: .seconds(20), { 2 }, { _ in answers.append(2) })
        #expect(await eventually { answers == [2] }, "\(answers)")
        gate.open()
        #expect(await eventually { answers == [2, 1] })
        #expect(await eventually { !BlockingWork.isUnderWay })
    }

    @Test("while work hangs, work on the same resource does not begin, but on another it does")
    func oneByOne() async {
        let (gate, resource) = (Gate(), UUID().uuidString)
        let begun = Mutex<[Int]>([])
        let begin: @Sendable (Int) -> Void = { number in begun.withLock { $0.append(number) } }
        var answers: [Int] = []
        BlockingWork.perform(
            on: resource, within: .milliseconds(10), { gate.await() }, { _ in answers.append(1) })
        BlockingWork.perform(on: resource, within: .seconds(60), { begin(2) }, { _ in answers.append(2) })
        BlockingWork.perform(on: resource, within: .seconds(60), { begin(3) }, { _ in answers.append(3) })
        BlockingWork.perform(on: "another", within: .seconds(60), { begin(4) }, { _ in answers.append(4) })
        #expect(await eventually { answers.sorted() == [1, 4] }, "\(answers)")
        await runLoop(for: .milliseconds(20))
        #expect(begun.withLock { $0 } == [4])
        gate.open()
        #expect(await eventually { answers.count == 4 }, "\(answers)")
        #expect(answers.suffix(2) == [2, 3] && begun.withLock { $0 } == [4, 2, 3])
        #expect(await eventually { !BlockingWork.isUnderWay })
    }

    @Test("work whose deadline passes while it waits for the same resource never begins")
    func tooLate() async {
        let (gate, resource) = (Gate(), UUID().uuidString)
        let begun = Mutex<[Int]>([])
        var answers: [Result<Void, BlockingWork.Problem>] = []
        BlockingWork.perform(on: resource, within: .seconds(60), { gate.await() }, { _ in })
        for number in 1...2 {
            BlockingWork.perform(
                on: resource, within: .milliseconds(10), { begun.withLock { $0.append(number) } },
                { answers.append($0) })
            #expect(await eventually { answers.count == number })
        }
        for answer in answers { #expect(throws: BlockingWork.Problem.late) { try answer.get() } }
        var isFree = false
        BlockingWork.perform(on: resource, within: .seconds(60), {}, { _ in isFree = true })
        gate.open()
        #expect(await eventually { isFree })
        #expect(begun.withLock { $0 }.isEmpty)
        #expect(await eventually { !BlockingWork.isUnderWay })
    }

    /// What the loop has run, by the number of the thread that posted it.
    @MainActor private final class Received {
        var numbers: [Int: [Int]] = [:]
    }

    @Test("blocks that threads post to the loop all run, in each thread's order")
    func posted() async throws {
        let inbox = try LoopInbox.open()
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
