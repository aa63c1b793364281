import CLinux
import Glibc

/// The descriptors that the event loop watches: an epoll instance (epoll(7)), and one or more handlers for
/// each descriptor.
@MainActor final class EpollSet {
    /// The events for which a descriptor is watched, as in epoll_ctl(2).
    struct Interest {
        var events: UInt32
        /// The events that wake the watcher. Errors and hang-ups (EPOLLERR, EPOLLHUP) wake every watcher.
        var wakes: UInt32 { events | EPOLLERR.rawValue | EPOLLHUP.rawValue }
    }

    private struct Watch {
        var descriptor: Int32
        var interest: Interest
        var handler: @MainActor () -> Void
    }

    /// The kernel's entry for a descriptor.
    private struct Entry {
        /// Distinguishes this entry from earlier ones with the same descriptor number: their events may still
        /// be in the list that is being handled.
        let generation: UInt32
        /// The numbers of the watchers, in the order in which they were added.
        var watchers: [UInt64] = []
    }

    private let descriptor: Int32
    /// Why the epoll instance could not be created; nil if it was.
    let openingError: SystemError?
    private var watches: [UInt64: Watch] = [:]
    private var entries: [Int32: Entry] = [:]
    private var generation: UInt32 = 0
    private var alwaysReady: [UInt64: @MainActor () -> Void] = [:]
    private var count: UInt64 = 0
    private var ready = [epoll_event](repeating: epoll_event(), count: EpollSet.atOnce)

    /// The most events that one epoll_wait(2) returns.
    private static let atOnce = 64
    private static let mostRounds = 16

    init() {
        do throws(SystemError) {
            descriptor = try check("epoll_create1") { epoll_create1(Int32(EPOLL_CLOEXEC)) }
            openingError = nil
        } catch {
            descriptor = -1
            openingError = error
        }
    }

    /// Watches a descriptor.
    /// - Returns: the number for ``remove(_:)``.
    /// - Throws: the error of epoll_ctl(2).
    func add(
        _ descriptor: Int32, _ interest: Interest, _ handler: @escaping @MainActor () -> Void
    ) throws(SystemError) -> UInt64 {
        count += 1
        watches[count] = Watch(descriptor: descriptor, interest: interest, handler: handler)
        if entries[descriptor] == nil {
            generation &+= 1
            entries[descriptor] = Entry(generation: generation)
        }
        entries[descriptor]?.watchers.append(count)
        do throws(SystemError) {
            try tell(descriptor)
        } catch {
            remove(count)
            throw error
        }
        return count
    }

    /// Runs the handler in every turn of the loop. While such a handler exists, the loop does not sleep.
    func addAlwaysReady(_ handler: @escaping @MainActor () -> Void) -> UInt64 {
        count += 1
        alwaysReady[count] = handler
        return count
    }

    /// Stops watching. The handler does not run any more. Call this before the descriptor is closed.
    func remove(_ number: UInt64) {
        alwaysReady[number] = nil
        guard let descriptor = watches.removeValue(forKey: number)?.descriptor else { return }
        entries[descriptor]?.watchers.removeAll { $0 == number }
        if entries[descriptor]?.watchers.isEmpty == true {
            entries[descriptor] = nil
            epoll_ctl(self.descriptor, EPOLL_CTL_DEL, descriptor, nil)
        } else {
            try? tell(descriptor)
        }
    }

    private func tell(_ descriptor: Int32) throws(SystemError) {
        guard let entry = entries[descriptor] else { return }
        var event = epoll_event()
        event.data.u64 = UInt64(entry.generation) << 32 | UInt64(UInt32(bitPattern: descriptor))
        for number in entry.watchers { event.events |= watches[number]?.interest.events ?? 0 }
        if epoll_ctl(self.descriptor, EPOLL_CTL_ADD, descriptor, &event) == 0 { return }
        guard errno == EEXIST else { throw SystemError(call: "epoll_ctl", code: errno) }
        try check("epoll_ctl") { epoll_ctl(self.descriptor, EPOLL_CTL_MOD, descriptor, &event) }
    }

    /// Waits until a descriptor is ready, for at most this time (nil: without limit), and runs the handlers.
    func wait(_ duration: Duration?) {
        // Round up, so that the deadline has passed after the wait.
        let milliseconds = duration.map { $0 > .zero ? ($0.inNanoseconds - 1) / 1_000_000 + 1 : 0 } ?? -1
        var found = serve(within: alwaysReady.isEmpty ? Int32(clamping: milliseconds) : 0)
        // All pending events come first; only then does the deadline count as passed.
        for _ in 0..<Self.mostRounds where found == Self.atOnce { found = serve(within: 0) }
        for handler in Array(alwaysReady.values) { handler() }
    }

    /// - Returns: the number of ready descriptors; 0 after a signal (EINTR), which the signal pipe reports.
    private func serve(within milliseconds: Int32) -> Int {
        let found = Int(epoll_wait(descriptor, &ready, Int32(Self.atOnce), milliseconds))
        for event in ready.prefix(max(found, 0)) { serve(event.data.u64, event.events) }
        return max(found, 0)
    }

    private func serve(_ data: UInt64, _ events: UInt32) {
        let descriptor = Int32(truncatingIfNeeded: data)
        // An earlier handler may have closed the descriptor, and a new descriptor may have the same number.
        guard let entry = entries[descriptor], entry.generation == UInt32(data >> 32) else { return }
        for number in entry.watchers {
            // An earlier handler may have removed this watcher.
            guard let watch = watches[number], watch.interest.wakes & events != 0 else { continue }
            watch.handler()
        }
    }
}
