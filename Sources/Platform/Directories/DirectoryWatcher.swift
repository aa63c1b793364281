import Glibc

/// Reports the names in a directory that were created, removed, renamed or written (inotify(7)). Causes no
/// wake-up while nothing changes.
@MainActor public final class DirectoryWatcher {
    /// The buffer for events, in bytes: enough for several events with the longest name (inotify(7)).
    private static let roomForEvents = 4096

    private let descriptor: Int32
    private var source: EventSource?

    /// - Parameters:
    ///   - directory: its path, which must not be a symbolic link.
    ///   - onChange: called with the name of each event, so that a name may occur several times; nil means
    ///     that events were lost, so that anything may have changed.
    ///   - onEnd: called when the directory has been removed. No more reports follow.
    /// - Throws: the directory does not exist, or no more directories can be watched (EMFILE, ENOSPC).
    public init(
        _ directory: String, onChange: @escaping @MainActor ([String]?) -> Void,
        onEnd: @escaping @MainActor () -> Void
    ) throws(SystemError) {
        let descriptor = try check("inotify_init1") { inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK)) }
        self.descriptor = descriptor
        let mask = IN_CREATE | IN_DELETE | IN_MOVE | IN_CLOSE_WRITE | Int32(IN_ONLYDIR | IN_DONT_FOLLOW)
        try closingOnError(descriptor) { () throws(SystemError) in
            try check("inotify_add_watch") { inotify_add_watch(descriptor, directory, UInt32(mask)) }
        }
        source = EventSource.reading(descriptor, owning: true) { [weak self] in
            guard let self else { return }
            var bytes = [UInt8](repeating: 0, count: Self.roomForEvents)
            let count = read(descriptor, &bytes, bytes.count)
            guard count > 0 else { return }
            let news = DirectoryChange(bytes[..<count])
            if news.isOver {
                source?.cancel()
                onEnd()
            } else {
                onChange(news.names)
            }
        }
    }
}

/// The result of one read of an inotify descriptor.
struct DirectoryChange: Equatable {
    /// The names in the events; nil if the kernel's queue has overflowed.
    var names: [String]? = []
    /// Whether the watch has ended (IN_IGNORED).
    var isOver = false

    private static let headerSize = MemoryLayout<inotify_event>.size

    /// - Parameter bytes: the events. An incomplete one at the end is ignored.
    init(_ bytes: ArraySlice<UInt8>) {
        var rest = bytes
        while rest.count >= Self.headerSize {
            let header = rest.withUnsafeBytes { $0.loadUnaligned(as: inotify_event.self) }
            let body = rest.dropFirst(Self.headerSize)
            guard body.count >= Int(header.len) else { return }
            take(header.mask, name: body.prefix(Int(header.len)))
            rest = body.dropFirst(Int(header.len))
        }
    }

    /// - Parameter name: the name in the event, padded with zeros.
    private mutating func take(_ mask: UInt32, name: ArraySlice<UInt8>) {
        if mask & UInt32(IN_IGNORED) != 0 { isOver = true }
        if mask & UInt32(IN_Q_OVERFLOW) != 0 { names = nil }
        let bytes = name.prefix { $0 != 0 }
        if !bytes.isEmpty { names?.append(String(decoding: bytes, as: UTF8.self)) }
    }
}
