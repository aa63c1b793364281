import CLinux
import Glibc
import HelperProtocol
import Model

/// The interface of a question. Every socket is bound to it, so that no packet leaves through another one,
/// whatever the routes say.
struct Device: Hashable {
    var name: String
    var index: InterfaceIndex

    /// Creates a socket that is bound to the interface (SO_BINDTODEVICE, socket(7)), does not block, and
    /// reports ICMP errors in its error queue. Binding needs no privilege since Linux 5.7. An older kernel
    /// refuses it (EPERM); then nothing is sent.
    func socket(family: Int32, type: Int32, protocol number: Int32) -> Result<Int32, BindFailure> {
        let flags = type | Int32(SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = Glibc.socket(family, flags, number)
        guard descriptor != -1 else { return .failure(BindFailure(code: errno)) }
        guard bind(descriptor), ErrorQueue.enable(descriptor, family: family) else {
            let code = errno
            close(descriptor)
            return .failure(BindFailure(code: code))
        }
        return .success(descriptor)
    }

    /// Binds a socket, and checks that the name still belongs to the index.
    private func bind(_ descriptor: Int32) -> Bool {
        let bytes = Array(name.utf8)
        guard setsockopt(descriptor, SOL_SOCKET, SO_BINDTODEVICE, bytes, socklen_t(bytes.count)) == 0
        else { return false }
        var bound: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(descriptor, SOL_SOCKET, Self.boundIndex, &bound, &length) == 0 else { return false }
        guard bound == index.rawValue else {
            errno = ENODEV
            return false
        }
        return true
    }

    /// SO_BINDTOIFINDEX (asm-generic/socket.h), which the toolchain's Glibc module lacks.
    private static let boundIndex: Int32 = 62
}

/// The failure to create a socket that is bound to the interface.
struct BindFailure: Error {
    /// The error number (errno(3)).
    var code: Int32

    var fault: SocketFault { SocketFault(code: code, origin: .ours) }
}
