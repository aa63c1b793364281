import Glibc

/// Reports which names in a directory came, went or were written (inotify(7)). It causes no wake-up while
/// nothing happens.
@MainActor public final class DirectoryWatcher {
    /// Room for the longest name (inotify(7)), some times over.
    private static let roomForEvents = 4096

    private let descriptor: Int32
    private var source: EventSource?

    /// - Parameters:
    ///   - directory: not a symbolic link.
    ///   - onChange: called with the names, as often as something happened; nil: events were lost, so that
    ///     everything may have changed.
    ///   - onEnd: the directory has gone. There are no more reports.
    /// - Throws: it does not exist, or no more directories can be watched (EMFILE, ENOSPC).
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
    /// nil: the kernel's queue has overflowed.
    var names: [String]? = []
    /// The watch has ended.
    var isOver = false

    private static let headerSize = MemoryLayout<inotify_event>.size

    /// - Parameter bytes: whole events; an incomplete one at the end is ignored.
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

    /// - Parameter name: padded with zeros.
    private mutating func take(_ mask: UInt32, name: ArraySlice<UInt8>) {
        if mask & UInt32(IN_IGNORED) != 0 { isOver = true }
        if mask & UInt32(IN_Q_OVERFLOW) != 0 { names = nil }
        let bytes = name.prefix { $0 != 0 }
        if !bytes.isEmpty { names?.append(String(decoding: bytes, as: UTF8.self)) }
    }
}
