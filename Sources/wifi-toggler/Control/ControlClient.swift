import Glibc
import Invocation
import Platform
import Reporting
import Service

/// Connects a command to the service, and describes why that fails.
struct ControlClient {
    private let directory: String

    init(_ request: Request) { directory = request.runDirectory }

    private var path: String { "\(directory)/\(ControlInterface.socket)" }

    /// Whether the file of the socket may exist. Usually there is no service, and this is the fastest way to
    /// find out.
    var isThere: Bool { access(path, F_OK) == 0 || errno != ENOENT }

    /// Connects to the service. If too many clients are waiting, blocks until the deadline at most. The
    /// deadline is in nanoseconds of CLOCK_BOOTTIME.
    func connect(before deadline: Int64) throws(CommandError) -> BlockingStream {
        do throws(ControlSocket.Problem) {
            return try BlockingStream.connect(to: ControlInterface.socket, in: directory, before: deadline)
        } catch {
            throw problem(error)
        }
    }

    /// Connects to the service as ``connect(before:)`` does, for a connection on the event loop.
    func connection(before deadline: Int64) throws(CommandError) -> StreamConnection {
        let descriptor: Int32
        do throws(ControlSocket.Problem) {
            descriptor = try ControlSocket.connect(
                to: ControlInterface.socket, in: directory, by: .stream, before: deadline)
        } catch {
            throw problem(error)
        }
        guard let connection = StreamConnection(descriptor) else {
            throw problem(.refused(SystemError(call: "socket", code: EMFILE)))
        }
        return connection
    }

    /// The error for a service that does not answer. EAGAIN is the kernel's error for a deadline of the
    /// socket (SO_RCVTIMEO, socket(7)).
    func silence(_ error: SystemError) -> CommandError {
        CommandError(
            description: "the service at \(path) "
                + (error.code == EAGAIN
                    ? "did not answer in time" : "does not answer: \(error.description)")
                + " (see 'systemctl status wifi-toggler')", status: .unavailable)
    }

    func problem(_ problem: ControlCall.Problem) -> CommandError {
        switch problem {
        case .nonsense:
            CommandError(
                description:
                    "the service at \(path) sent an answer that this version does not understand"
                    + " (restart the service after an update)",
                status: .systemRefused)
        case .refused(let name):
            CommandError(
                description: "the service at \(path) refused the request: \(name) (restart the service"
                    + " after an update)", status: .systemRefused)
        }
    }

    private func problem(_ problem: ControlSocket.Problem) -> CommandError {
        switch problem {
        case .none:
            CommandError(
                description:
                    "no service answers at \(path): start it with 'sudo systemctl start wifi-toggler'"
                    + " (or give its directory with --run-dir)", status: .unavailable)
        case .untrusted(let why):
            CommandError(
                description: "the control socket is not trusted: \(why) (give its directory with --run-dir)",
                status: .systemRefused)
        case .refused(let error) where error.code == EACCES || error.code == EPERM:
            CommandError(
                description: "no permission to ask the service at \(path): run as root, or be a member of the"
                    + " group \(ControlServer.group)", status: .noPermission)
        case .refused(let error): silence(error)
        }
    }
}
