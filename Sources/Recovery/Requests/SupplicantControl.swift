import CLinux
import Glibc
import Model
import Platform

/// Sends commands to the wpa_supplicant(8) of an interface through its control socket (wpa_ctrl,
/// `ctrl_interface` in wpa_supplicant.conf(5)). If a network manager has started wpa_supplicant for D-Bus
/// alone, there is no such socket.
@MainActor public struct SupplicantControl {
    public typealias Completion = @MainActor (Result<Void, Failure>) -> Void
    /// Called with the IDs of networks (LIST_NETWORKS).
    typealias NetworksCompletion = @MainActor (Result<[Int32], Failure>) -> Void

    private let interface: String
    private let directory: String

    public init(interface: String, directory: String = ControlSocket.supplicantDirectory) {
        self.interface = interface
        self.directory = directory
    }

    /// Makes wpa_supplicant associate again. Addresses and routes stay.
    ///
    /// wpa_supplicant postpones a network for a while if joining it has failed. If there are such networks,
    /// they are disabled and enabled again (DISABLE_NETWORK, ENABLE_NETWORK), so that wpa_supplicant tries
    /// them at once. Neither REASSOCIATE nor ENABLE_NETWORK alone has this effect, and SELECT_NETWORK would
    /// disable all other networks. A user's order to disconnect remains in force.
    ///
    /// If there are none, STATUS and REASSOCIATE are sent. If a user has told wpa_supplicant to disconnect,
    /// REASSOCIATE is not sent, because that command would connect the interface again.
    ///
    /// Succeeds as soon as wpa_supplicant has accepted the commands. The socket is opened in this call, in
    /// the network namespace of the calling thread.
    /// - Parameters:
    ///   - timeout: the time limit for the whole exchange.
    ///   - done: called once, never inside this call. Fails with `unavailable` if no wpa_supplicant listens,
    ///     with `timedOut` if it does not answer, and with its own message if it refuses.
    public func reassociate(timeout: Duration, done: @escaping Completion) {
        exchange(.networks, timeout) { result in done(result.map { _ in }) }
    }

    /// Asks wpa_supplicant which networks it postpones. Fails as `reassociate` does, except that any answer,
    /// even a refusal, is a success: a refusal names no networks.
    func postponedNetworks(timeout: Duration, done: @escaping NetworksCompletion) {
        exchange(.query, timeout, done)
    }

    /// - Parameter step: the first step, which sends LIST_NETWORKS.
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

/// An exchange of commands and answers. The object keeps itself alive until the exchange ends.
@MainActor private final class SupplicantExchange {
    enum Step {
        /// Find out only which networks are postponed.
        case query
        case networks
        /// A postponed network is being enabled, and this many answers are missing. The networks in `rest`
        /// follow after them.
        case enabling(rest: ArraySlice<Int32>, answers: Int)
        case status, reassociate
    }

    /// The most datagrams that are read at a time. The source fires again for the rest.
    private static let readsAtOnce = 16
    private static let retryInterval: Duration = .milliseconds(50)
    /// The most events of wpa_supplicant that may arrive in one exchange, besides the answers.
    private static let mostEvents = 256

    private let descriptor: Int32
    private var step = Step.query
    /// The commands for which the queue of wpa_supplicant's socket had no room yet.
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
        // Any answer shows that wpa_supplicant works.
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

    /// - Returns: false if there are no networks to enable.
    private func enable(_ networks: ArraySlice<Int32>) -> Bool {
        guard let network = networks.first else { return false }
        // Send both commands together, so that the network does not stay disabled if this process ends in
        // between.
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
