import CLinux
import Glibc
import Model
import Platform

/// Commands to the wpa_supplicant(8) of an interface, through its own control socket (wpa_ctrl,
/// `ctrl_interface` in wpa_supplicant.conf(5)). A wpa_supplicant that a network manager started only for
/// D-Bus has no such socket.
@MainActor public struct SupplicantControl {
    public typealias Completion = @MainActor (Result<Void, Failure>) -> Void
    /// The numbers of networks (LIST_NETWORKS).
    typealias NetworksCompletion = @MainActor (Result<[Int32], Failure>) -> Void

    private let interface: String
    private let directory: String

    public init(interface: String, directory: String = ControlSocket.supplicantDirectory) {
        self.interface = interface
        self.directory = directory
    }

    /// Makes wpa_supplicant associate again: addresses and routes stay.
    ///
    /// If it has put off networks itself, because joining them failed, it is made to try them at once: they are
    /// disabled and enabled again (DISABLE_NETWORK, ENABLE_NETWORK), which ends their waiting time. Neither
    /// REASSOCIATE nor ENABLE_NETWORK alone does, and SELECT_NETWORK would disable all others. A user's order to
    /// disconnect remains in force.
    ///
    /// Otherwise STATUS and REASSOCIATE are sent. If a user told it to disconnect, the latter is not sent, because
    /// it would connect.
    ///
    /// Succeeds as soon as wpa_supplicant has begun. The socket is opened in this call, in the network
    /// namespace of the calling thread.
    /// - Parameters:
    ///   - timeout: for all of it.
    ///   - done: called once, never inside this call. Fails with `unavailable` if no wpa_supplicant
    ///     listens, `timedOut` if it does not answer, and with its own message if it refuses.
    public func reassociate(timeout: Duration, done: @escaping Completion) {
        exchange(.networks, timeout) { result in done(result.map { _ in }) }
    }

    /// Asks wpa_supplicant for the networks that it has put off, with the same errors. Any answer counts as one,
    /// also a refusal.
    func postponedNetworks(timeout: Duration, done: @escaping NetworksCompletion) {
        exchange(.query, timeout, done)
    }

    /// - Parameter step: begins with LIST_NETWORKS.
    private func exchange(
        _ step: SupplicantExchange.Step, _ timeout: Duration, _ done: @escaping NetworksCompletion
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
    enum Step {
        /// Only to be told which networks are put off.
        case query
        case networks
        /// A network that was put off is enabled anew, and so many answers are awaited; then the others are.
        case enabling(rest: ArraySlice<Int32>, answers: Int)
        case status, reassociate
    }

    /// Datagrams that are read at a time; the source fires again for the rest.
    private static let readsAtOnce = 16
    private static let retryInterval: Duration = .milliseconds(50)
    /// Events that may come before an answer.
    private static let mostEvents = 256

    private let descriptor: Int32
    private var step = Step.query
    /// Commands that wpa_supplicant's queue has had no room for.
    private var unsent: [String] = []
    private var events = 0
    private var source: EventSource?
    private var timer: TimerSource?
    private var retry: TimerSource?
    private var done: SupplicantControl.NetworksCompletion?

    init(_ descriptor: Int32, _ done: @escaping SupplicantControl.NetworksCompletion) {
        self.descriptor = descriptor
        self.done = done
    }

    func begin(_ step: Step, timeout: Duration) {
        source = .reading(descriptor, owning: true) { self.readable() }
        timer = TimerSource { self.end(.failure(.silence)) }
        timer?.schedule(after: timeout)
        retry = TimerSource { self.sendUnsent() }
        take(step, ["LIST_NETWORKS"])
    }

    private func take(_ step: Step, _ commands: [String]) {
        self.step = step
        unsent += commands
        sendUnsent()
    }

    private func sendUnsent() {
        while let command = unsent.first {
            let bytes = Array(command.utf8)
            do throws(SystemError) {
                try checkCount("send") {
                    send(descriptor, bytes, bytes.count, send_no_signal | message_dont_wait)
                }
                unsent.removeFirst()
            } catch {
                guard error.code == EAGAIN else { return end(.failure(Failure(controlSocket: error))) }
                retry?.schedule(after: Self.retryInterval)
                return
            }
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
        // Whatever it says: it works.
        case .query: end(.success(answer.postponedNetworks))
        case .networks:
            if !enable(answer.postponedNetworks[...]) { take(.status, ["STATUS"]) }
        case .enabling(let rest, let answers) where answers > 1:
            step = .enabling(rest: rest, answers: answers - 1)
        case .enabling(let rest, _): if !enable(rest) { end(answer.outcome.map { [] }) }
        case .status:
            if let failure = answer.reasonNotToReassociate { return end(.failure(failure)) }
            take(.reassociate, ["REASSOCIATE"])
        case .reassociate: end(answer.outcome.map { [] })
        }
    }

    /// - Returns: false: there is none.
    private func enable(_ networks: ArraySlice<Int32>) -> Bool {
        guard let network = networks.first else { return false }
        // Both commands at once, so that it does not stay disabled if this process ends in between.
        let commands = ["DISABLE_NETWORK \(network)", "ENABLE_NETWORK \(network)"]
        take(.enabling(rest: networks.dropFirst(), answers: commands.count), commands)
        return true
    }

    private func end(_ result: Result<[Int32], Failure>) {
        guard let done else { return }
        self.done = nil
        source?.cancel()
        timer?.cancel()
        retry?.cancel()
        (source, timer, retry) = (nil, nil, nil)
        EventLoop.soon { done(result) }
    }
}
