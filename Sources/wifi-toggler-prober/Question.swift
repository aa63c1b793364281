import CCurl
import Glibc
import HelperProtocol
import Model

/// One question under way.
struct Question {
    private enum Kind {
        case name(DNSProbe)
        case web(HTTPProbe)
        /// It cannot be sent.
        case none(HelperAnswer.Outcome)
    }

    let id: UInt32
    private let kind: Kind

    init(_ request: HelperRequest, _ multi: CurlMulti) {
        id = request.id
        let device = Device(name: request.interface, index: request.index)
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
                kind = .none(.unknown(code: 0, description: "not a URL that can be asked: \(url)"))
                return
            }
            kind = .web(
                HTTPProbe(
                    url, target, expectation, servers: request.servers, device: device, multi, asked: asked,
                    deadline: deadline))
        }
    }

    /// The descriptors to wait for; libcurl reports its own.
    var polls: [pollfd] {
        switch kind {
        case .name(let question): question.polls
        case .web(let question): question.polls
        case .none: []
        }
    }

    /// Until something must be done without a ready descriptor.
    var wait: Duration {
        switch kind {
        case .name(let question): question.wait
        case .web(let question): question.wait
        case .none: .zero
        }
    }

    /// Some descriptors are ready, or time has passed.
    func proceed(_ ready: [pollfd]) {
        switch kind {
        case .name(let question): question.proceed(ready)
        case .web(let question): question.proceed(ready)
        case .none: break
        }
    }

    /// libcurl has finished a transfer, possibly this one's.
    func finished(_ handle: CurlHandle?, _ code: CURLcode) {
        if case .web(let question) = kind { question.finished(handle, code) }
    }

    /// nil: still under way.
    var outcome: HelperAnswer.Outcome? {
        switch kind {
        case .name(let question): question.isOver ? question.outcome : nil
        case .web(let question): question.outcome
        case .none(let outcome): outcome
        }
    }
}
