import CLinux
import Glibc
import Model
import Platform

/// Commands to the wpa_supplicant(8) of an interface, through its own control socket (wpa_ctrl,
/// `ctrl_interface` in wpa_supplicant.conf(5)). A wpa_supplicant that a network manager started only for
/// D-Bus has no such socket.
@MainActor public struct SupplicantControl {
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
    public func reassociate(
        timeout: Duration, done: @escaping @MainActor (Result<Void, Failure>) -> Void
    ) {
        let descriptor: Int32
        do {
            descriptor = try ControlSocket.connect(to: interface, in: directory)
        } catch {
            let failure = Failure(error)
            return EventLoop.soon { done(.failure(failure)) }
        }
        SupplicantExchange(descriptor, done).begin(timeout: timeout)
    }
}

/// Two commands and their answers. It keeps itself alive until it is done.
@MainActor private final class SupplicantExchange {
    private enum Step { case status, reassociate }

    /// Datagrams that are read at a time; the source fires again for the rest.
    private static let readsAtOnce = 16
    /// Events that may come before an answer.
    private static let mostEvents = 256

    private let descriptor: Int32
    private var step = Step.status
    private var events = 0
    private var source: EventSource?
    private var timer: TimerSource?
    private var done: (@MainActor (Result<Void, Failure>) -> Void)?

    init(_ descriptor: Int32, _ done: @escaping @MainActor (Result<Void, Failure>) -> Void) {
        self.descriptor = descriptor
        self.done = done
    }

    func begin(timeout: Duration) {
        source = .reading(descriptor, owning: true) { self.readable() }
        timer = TimerSource { self.end(.failure(.silence)) }
        timer?.schedule(atBootNanoseconds: BootClock.now() + timeout.nanoseconds)
        say("STATUS")
    }

    private func say(_ command: String) {
        let bytes = Array(command.utf8)
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
            step = .reassociate
            say("REASSOCIATE")
        case .reassociate: end(answer.outcome)
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
