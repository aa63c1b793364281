import CCurl
import Glibc
import HelperProtocol
import Model
import Platform

/// A question that is being handled.
struct Question {
    private enum Kind {
        case name(DNSProbe)
        case web(HTTPProbe)
        /// The question cannot be sent.
        case none(HelperAnswer.Outcome)
    }

    let id: UInt32
    private let kind: Kind

    init(_ request: HelperRequest, _ multi: CurlMulti) {
        id = request.id
        let device = Device(index: request.index, name: request.interface)
        let asked = Instant.now
        let deadline = asked + request.timeout
        switch request.question {
        case .dns(let name, let expectsPrivate):
            let isPublic = HostName.isPublic(name) && !expectsPrivate
            kind = .name(
                DNSProbe(
                    name, servers: request.servers, device: device, isPublic ? .publicAlone : .anyHost,
                    .oneAddress, asked: asked, deadline: deadline))
        case .http(let url, let expectation):
            guard let target = HTTPTarget(url) else {
                kind = .none(.unknown(code: 0, description: "this URL cannot be requested: \(url)"))
                return
            }
            kind = .web(
                HTTPProbe(
                    url, target, expectation, servers: request.servers, device: device, multi, asked: asked,
                    deadline: deadline))
        }
    }

    /// The descriptors to wait for. libcurl reports its descriptors itself.
    var polls: [pollfd] {
        switch kind {
        case .name(let question): question.polls
        case .web(let question): question.polls
        case .none: []
        }
    }

    /// The time until something must be done even if no descriptor is ready.
    var wait: Duration {
        switch kind {
        case .name(let question): question.wait
        case .web(let question): question.wait
        case .none: .zero
        }
    }

    /// Handles ready descriptors and time-outs.
    func proceed(_ ready: [pollfd]) {
        switch kind {
        case .name(let question): question.proceed(ready)
        case .web(let question): question.proceed(ready)
        case .none: break
        }
    }

    /// Handles the end of a transfer of libcurl, which may belong to this question.
    func finished(_ handle: CurlHandle?, _ code: CURLcode) {
        if case .web(let question) = kind { question.finished(handle, code) }
    }

    /// The result; nil while the question is being handled.
    var outcome: HelperAnswer.Outcome? {
        switch kind {
        case .name(let question): question.isOver ? question.outcome : nil
        case .web(let question): question.outcome
        case .none(let outcome): outcome
        }
    }
}
