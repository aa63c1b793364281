import Glibc

/// A failed call of the kernel or the C library.
public struct SystemError: Error, Equatable, Sendable {
    /// The call's name, as in its manual page.
    public var call: String
    /// errno(3).
    public var code: Int32

    public init(call: String, code: Int32) {
        self.call = call
        self.code = code
    }

    /// The text of strerror(3) for the code, in the C locale.
    public var description: String { String(cString: strerror(code)) }
}

/// Runs one system call and turns its -1 into a ``SystemError``; an interrupted call (EINTR) is made again.
/// - Returns: what the call returned, 0 or more.
@discardableResult
public func check(_ call: String, _ body: () -> Int32) throws(SystemError) -> Int32 {
    Int32(truncatingIfNeeded: try checkCount(call) { Int(body()) })
}

/// The same for calls that return a number of bytes (ssize_t).
@discardableResult
public func checkCount(_ call: String, _ body: () -> Int) throws(SystemError) -> Int {
    while true {
        let result = body()
        if result != -1 { return result }
        let code = errno
        guard code == EINTR else { throw SystemError(call: call, code: code) }
    }
}
