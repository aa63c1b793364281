import CLinux
import Dispatch

/// Dispatch's main queue, run by the thread of the event loop.
@MainActor enum DispatchHandle {
    private static var source: EventSource?

    /// Watches the descriptor (eventfd(2)) that Dispatch writes to when its main queue gets work, as
    /// libdispatch's src/queue.c has it for CFRunLoop. Edge-triggered (EPOLLET, epoll(7)): each write is
    /// reported once and nothing has to be read; the counter does not overflow in any lifetime.
    static func watch() {
        guard source == nil, EventLoop.isOurs else { return }
        source = try? EventSource.edges(of: _dispatch_get_main_queue_handle_4CF()) {
            _dispatch_main_queue_callback_4CF(nil)
        }
        precondition(source != nil, "Dispatch has no main queue that can be waited for")
    }
}
