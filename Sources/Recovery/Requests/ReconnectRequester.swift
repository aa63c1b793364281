import Glibc
import Model
import Platform

/// Asks the owners of an interface to reconnect it (``OwnerRequest``): one after the other, first the owner
/// of the association, then the address owner, each with a deadline.
@MainActor public final class ReconnectRequester {
    public typealias Completion = @MainActor (Result<Void, Failure>) -> Void

    private let directories: [String]
    private let supplicantDirectory: String
    private let timeout: Duration?
    /// The requests under way, by the name of the interface.
    private var pending: [String: PendingRequest] = [:]
    private var count = 0

    private struct PendingRequest {
        /// Distinguishes this request from earlier ones.
        var number: Int
        var child: ChildProcess?
    }

    /// - Parameter timeout: the time limit for each query or order; nil: the limits of ``OwnerRequest``.
    public init(
        directories: [String] = OwnerCommand.directories,
        supplicantDirectory: String = ControlSocket.supplicantDirectory, timeout: Duration? = nil
    ) {
        self.directories = directories
        self.supplicantDirectory = supplicantDirectory
        self.timeout = timeout
    }

    /// Asks the owners to reconnect an interface.
    /// - Parameters:
    ///   - interface: the name of the interface.
    ///   - done: called once, never inside this call. Fails with `timedOut` or `lost` if an owner may be
    ///     reconnecting the interface all the same, and with `unavailable` if there is no owner to ask. Any
    ///     other kind means that nothing was done: the owner was told to leave the interface alone, for
    ///     example, or refuses the request.
    public func ask(_ interface: String, _ ownership: Ownership, _ done: @escaping Completion) {
        do throws(Failure) {
            // A program would take such a name for an option.
            guard interface.utf8.first != UInt8(ascii: "-") else { throw .unaskable }
            let requests = try ownership.requests()
            guard pending[interface] == nil else { throw .unheard }
            count += 1
            pending[interface] = PendingRequest(number: count)
            go(through: requests, Progress(number: count), interface) { [weak self] in
                self?.pending[interface] = nil
                done($0)
            }
        } catch {
            EventLoop.soon { done(.failure(error)) }
        }
    }

    /// Cancels the request for an interface. Ends its program, if one runs, in the same way as at its
    /// deadline. `done` is not called any more.
    public func stop(for interface: String) {
        pending.removeValue(forKey: interface)?.child?.cancel()
    }

    // MARK: One owner after the other

    private struct Progress {
        let number: Int
        /// The number of owners that have reconnected the interface, or have started to.
        var heard = 0
        /// The first failure of an owner that does not run.
        var absence: Failure?

        /// The result of the whole request.
        var result: Result<Void, Failure> {
            if heard == 0, let absence { .failure(absence) } else { .success(()) }
        }

        /// Converts the failure of one owner to the failure of the whole request.
        func whole(_ failure: Failure) -> Failure {
            heard == 0 ? failure : Failure(kind: .lost, code: failure.code, description: failure.description)
        }
    }

    private func go(
        through requests: [OwnerRequest], _ progress: Progress, _ interface: String,
        _ done: @escaping Completion
    ) {
        guard let request = requests.first else { return done(progress.result) }
        ask(request, interface) { [self] result in
            // wpa_supplicant may answer after the request was cancelled.
            guard pending[interface]?.number == progress.number else { return }
            var progress = progress
            switch result {
            case .success: progress.heard += 1
            case .failure(let failure) where failure.kind == .unavailable:
                progress.absence = progress.absence ?? failure
            case .failure(let failure): return done(.failure(progress.whole(failure)))
            }
            go(through: Array(requests.dropFirst()), progress, interface, done)
        }
    }

    private func ask(_ request: OwnerRequest, _ interface: String, _ done: @escaping Completion) {
        guard let program = request.program else {
            return SupplicantControl(interface: interface, directory: supplicantDirectory)
                .reassociate(timeout: timeout ?? request.timeout, done: done)
        }
        go(on: request, program, interface, after: [], done)
    }

    /// - Parameter answers: the outputs of the queries so far.
    private func go(
        on request: OwnerRequest, _ program: String, _ interface: String, after answers: [[UInt8]],
        _ done: @escaping Completion
    ) {
        let step: OwnerRequest.Step
        do throws(Failure) { step = try request.step(for: interface, after: answers) } catch {
            return EventLoop.soon { done(.failure(error)) }
        }
        switch step {
        case .query(let arguments):
            run(program, arguments, interface, within: OwnerRequest.queryTimeout) { [self] outcome in
                switch outcome {
                case .answered(let answer):
                    go(on: request, program, interface, after: answers + [answer], done)
                case .ended(let status, let failure):
                    let kind = status.map { request.meaning(ofStatus: $0, description: failure.description) }
                    // This was only a query, so nothing was started.
                    done(.failure(failure.of(kind == .unavailable ? .unavailable : .other)))
                case .notRun(let failure): done(.failure(failure))
                }
            }
        case .order(let arguments):
            run(program, arguments, interface, within: request.timeout) { outcome in
                switch outcome {
                case .answered: done(.success(()))
                case .ended(let status?, let failure):
                    done(
                        .failure(
                            failure.of(request.meaning(ofStatus: status, description: failure.description))))
                case .ended(nil, let failure), .notRun(let failure): done(.failure(failure))
                }
            }
        }
    }

    private func run(
        _ program: String, _ arguments: [String], _ interface: String, within timeout: Duration,
        _ done: @escaping @MainActor (OwnerCommand.Outcome) -> Void
    ) {
        let command = OwnerCommand(
            program: program, arguments: arguments, timeout: self.timeout ?? timeout)
        pending[interface]?.child = command.run(in: directories, done)
    }
}

extension Failure {
    static let unaskable = Failure(
        kind: .unavailable,
        description: "no owner can be asked about an interface whose name begins with a dash")
    static let unheard = Failure(
        kind: .busy, description: "an earlier request to its owner has not ended yet")

    fileprivate func of(_ kind: Kind) -> Failure { Failure(kind: kind, code: code, description: description) }
}
