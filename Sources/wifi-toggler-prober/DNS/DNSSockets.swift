import CAres
import CLinux
import Glibc

/// Replaces the socket calls of c-ares (ares_set_socket_functions(3)). Its own calls would ignore a failure
/// to bind to the interface, and would not report the sender of an error.
enum DNSSockets {
    /// Sets the calls. c-ares keeps a pointer to `query`, which must therefore outlive the channel.
    static func install(_ channel: ares_channel, for query: DNSQuery) {
        ares_set_socket_functions(channel, functions, Unmanaged.passUnretained(query).toOpaque())
    }

    // The structure is written only once, before its first use.
    private nonisolated(unsafe) static let functions: UnsafeMutablePointer<ares_socket_functions> = {
        let functions = UnsafeMutablePointer<ares_socket_functions>.allocate(capacity: 1)
        functions.initialize(to: calls)
        return functions
    }()

    private static var calls: ares_socket_functions {
        ares_socket_functions(
            asocket: { DNSSockets.query($3).openSocket(family: $0, type: $1, protocol: $2) },
            aclose: { descriptor, _ in close(descriptor) },
            aconnect: { descriptor, address, length, context in
                DNSSockets.noting(descriptor, context) {
                    Int(connect(descriptor, address, length)) == 0 ? 0 : -1
                }
            },
            arecvfrom: { descriptor, buffer, size, flags, address, length, context in
                DNSSockets.noting(descriptor, context) {
                    recvfrom(descriptor, buffer, size, flags, address, length)
                }
            },
            asendv: { descriptor, vectors, count, context in
                DNSSockets.noting(descriptor, context) {
                    var message = msghdr()
                    message.msg_iov = UnsafeMutablePointer(mutating: vectors)
                    message.msg_iovlen = Int(count)
                    return sendmsg(descriptor, &message, send_no_signal)
                }
            })
    }

    fileprivate static func query(_ context: UnsafeMutableRawPointer?) -> DNSQuery {
        Unmanaged<DNSQuery>.fromOpaque(context!).takeUnretainedValue()
    }

    fileprivate static func noting<Result: SignedInteger>(
        _ descriptor: Int32, _ context: UnsafeMutableRawPointer?, _ call: () -> Int
    ) -> Result {
        let result = call()
        if result == -1 { query(context).failed(descriptor) }
        return Result(result)
    }
}
