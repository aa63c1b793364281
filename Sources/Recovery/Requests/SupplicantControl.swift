import CLinux
import Glibc
import Model
import Platform

/// Commands to the wpa_supplicant(8) of an interface, through its own control socket (wpa_ctrl,
/// `ctrl_interface` in wpa_supplicant.conf(5)). A wpa_supplicant that a network manager started only for
/// D-Bus has no such socket.
@MainActor public struct SupplicantControl {
    public typealias Completion = @MainActor (Result<Void, Failure>) -> Void

    private let interface: String
    private let directory: String

    public init(interface: String, directory: String = ControlSocket.supplicantDirectory) {
        self.interface = interface
        self.directory = directory
    }

    /// Makes wpa_supplicant associate again (STATUS, then REASSOCIATE): addresses and routes stay. If a user
    /// told it to disconnect, nothing is sent, because REASSOCIATE would connect it.
    ///
    /// Succeeds as soon as wpa_supplicant has begun. The socket is opened in this call, in the network
    /// namespace of the calling thread.
    /// - Parameters:
    ///   - timeout: for all of it.
    ///   - done: called once, never inside this call. Fails with `unavailable` if no wpa_supplicant
    ///     listens, `timedOut` if it does not answer, and with its own message if it refuses.
    public func reassociate(timeout: Duration, done: @escaping Completion) {
        exchange(.status, timeout, done)
    }

    /// Asks wpa_supplicant whether it still answers (PING), with the same errors.
    public func ping(timeout: Duration, done: @escaping Completion) { exchange(.ping, timeout, done) }

    private func exchange(
        _ step: SupplicantExchange.Step, _ timeout: Duration, _ done: @escaping Completion
    ) {
        let descriptor: Int32
        do {
            descriptor = try ControlSocket.connect(to: interface, in: directory)
        } catch {
            let failure = Failure(error)
            return EventLoop.soon { done(.failure(failure)) }
        }
        SupplicantExchange(descriptor, done).begin(step, timeout: timeout)
    }
}

/// Commands and their answers. It keeps itself alive until it is done.
@MainActor private final class SupplicantExchange {
    /// The raw value is the command.
    enum Step: String {
        case ping = "PING"
        case status = "STATUS"
        case reassociate = "REASSOCIATE"
    }

    /// Datagrams that are read at a time; the source fires again for the rest.
    private static let readsAtOnce = 16
    /// Events that may come before an answer.
    private static let mostEvents = 256

    private let descriptor: Int32
    private var step = Step.ping
    private var events = 0
    private var source: EventSource?
    private var timer: TimerSource?
    private var done: (@MainActor (Result<Void, Failure>) -> Void)?

    init(_ descriptor: Int32, _ done: @escaping @MainActor (Result<Void, Failure>) -> Void) {
        self.descriptor = descriptor
        self.done = done
    }

    func begin(_ step: Step, timeout: Duration) {
        source = .reading(descriptor, owning: true) { self.readable() }
        timer = TimerSource { self.end(.failure(.silence)) }
        timer?.schedule(after: timeout)
        take(step)
    }

    private func take(_ step: Step) {
        self.step = step
        let bytes = Array(step.rawValue.utf8)
        do throws(SystemError) {
            try checkCount("send") {
                send(descriptor, bytes, bytes.count, send_no_signal | message_dont_wait)
            }
        } catch {
            end(.failure(Failure(controlSocket: error)))
        }
    }

    private func readable() {
        var bytes = [UInt8](repeating: 0, count: SupplicantReply.longest + 1)
        for _ in 0..<Self.readsAtOnce where done != nil {
            let count = recv(descriptor, &bytes, bytes.count, message_dont_wait)
            if count >= 0 {
                take(SupplicantReply(bytes.prefix(count)))
            } else if errno == EAGAIN {
                return
            } else if errno != EINTR {
                end(.failure(Failure(controlSocket: SystemError(call: "recv", code: errno))))
            }
        }
    }

    private func take(_ answer: SupplicantReply) {
        if case .event = answer {
            events += 1
            if events > Self.mostEvents { end(.failure(.nonsense)) }
            return
        }
        switch step {
        case .status:
            if let failure = answer.reasonNotToReassociate { return end(.failure(failure)) }
            take(.reassociate)
        case .reassociate: end(answer.outcome)
        // Whatever it says: it works.
        case .ping: end(.success(()))
        }
    }

    private func end(_ result: Result<Void, Failure>) {
        guard let done else { return }
        self.done = nil
        source?.cancel()
        timer?.cancel()
        (source, timer) = (nil, nil)
        EventLoop.soon { done(result) }
    }
}
