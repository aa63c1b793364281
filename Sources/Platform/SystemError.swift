import Glibc

/// A call of the kernel or the C library that has failed.
public struct SystemError: Error, Equatable, Sendable {
    /// The call's name, as in its manual page.
    public var call: String
    /// The error number (errno(3)).
    public var code: Int32

    public init(call: String, code: Int32) {
        self.call = call
        self.code = code
    }

    /// The text of strerror(3) for the code, in the C locale.
    public var description: String { String(cString: strerror(code)) }
}

/// Runs a system call and throws a ``SystemError`` if the result is -1. Repeats a call that a signal has
/// interrupted (EINTR).
/// - Returns: the result of the call, 0 or more.
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

/// Runs `body`, and closes the descriptor if it fails.
@discardableResult
package func closingOnError<Value>(
    _ descriptor: Int32, _ body: () throws(SystemError) -> Value
) throws(SystemError) -> Value {
    do throws(SystemError) { return try body() } catch {
        close(descriptor)
        throw error
    }
}

/// Writes all bytes, with as many calls of write(2) as necessary.
func writeWhole(_ bytes: [UInt8], to descriptor: Int32) throws(SystemError) {
    var rest = bytes[...]
    while !rest.isEmpty {
        let count = try checkCount("write") {
            rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        }
        rest = rest.dropFirst(count)
    }
}

/// The state of an open file (fstat(2)).
func status(of descriptor: Int32) throws(SystemError) -> stat {
    var status = stat()
    try check("fstat") { fstat(descriptor, &status) }
    return status
}
