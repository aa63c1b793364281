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

/// Runs `body`, and closes the descriptor if it fails.
@discardableResult
func closingOnError<Value>(
    _ descriptor: Int32, _ body: () throws(SystemError) -> Value
) throws(SystemError) -> Value {
    do throws(SystemError) { return try body() } catch {
        close(descriptor)
        throw error
    }
}

/// Writes all bytes, with as many calls as the kernel needs (write(2)).
func writeWhole(_ bytes: [UInt8], to descriptor: Int32) throws(SystemError) {
    var rest = bytes[...]
    while !rest.isEmpty {
        let count = try checkCount("write") {
            rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        }
        rest = rest.dropFirst(count)
    }
}

/// What fstat(2) says of an open file.
func status(of descriptor: Int32) throws(SystemError) -> stat {
    var status = stat()
    try check("fstat") { fstat(descriptor, &status) }
    return status
}
