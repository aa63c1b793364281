import CCurl
import Glibc
import HelperProtocol
import Model
import Platform

/// An HTTP probe. Resolves the host, and then requests the page.
final class HTTPProbe {
    private enum Stage {
        case resolving(DNSProbe)
        case found([IPAddress])
        case asking(HTTPRequest)
        case over(HelperAnswer.Outcome)
    }

    private let url: String
    private let target: HTTPTarget
    private let expectation: HelperRequest.Expectation
    private let device: Device
    private let multi: CurlMulti
    /// The outcome if libcurl has no memory, or lacks what the build requires.
    static let unprepared = HelperAnswer.Outcome.unknown(
        code: 0, description: "libcurl could not prepare the request")

    private let asked: Instant
    private let deadline: Instant
    /// How long the probe has only waited for more addresses, which is not part of the round trip.
    private var waited: Duration = .zero
    private var stage: Stage

    init(
        _ url: String, _ target: HTTPTarget, _ expectation: HelperRequest.Expectation, servers: [IPAddress],
        device: Device, _ multi: CurlMulti, asked: Instant, deadline: Instant
    ) {
        self.url = url
        self.target = target
        self.expectation = expectation
        self.device = device
        self.multi = multi
        self.asked = asked
        self.deadline = deadline
        switch target.host {
        case .name(let name):
            // A portal's own address is private, and must be accepted to recognise the portal.
            stage = .resolving(
                DNSProbe(
                    name, servers: servers, device: device, .anyHost, .bothFamilies, asked: asked,
                    deadline: deadline))
        case .address(let address): stage = .found([address])
        }
    }

    deinit { if case .asking(let request) = stage { request.end(multi) } }

    /// The descriptors to wait for while the name is resolved. libcurl reports its descriptors itself.
    var polls: [pollfd] {
        if case .resolving(let question) = stage { question.polls } else { [] }
    }

    var wait: Duration {
        switch stage {
        case .resolving(let question): question.wait
        case .asking: max(.zero, deadline - Instant.now)
        case .found, .over: .zero
        }
    }

    func proceed(_ ready: [pollfd]) {
        switch stage {
        case .resolving(let question):
            question.proceed(ready)
            if question.isOver { resolved(question) }
        case .found(let addresses): ask(addresses)
        case .asking(let request):
            if request.facts == nil, Instant.now >= deadline { request.timeIsOver() }
            if let facts = request.facts { judge(facts, request) }
        case .over: break
        }
    }

    /// Handles the end of a transfer of libcurl.
    func finished(_ handle: CurlHandle?, _ code: CURLcode) {
        guard case .asking(let request) = stage, request.isOf(handle) else { return }
        request.finished(code)
    }

    /// The result; nil while the probe is under way.
    var outcome: HelperAnswer.Outcome? {
        if case .over(let outcome) = stage { outcome } else { nil }
    }

    private func resolved(_ question: DNSProbe) {
        let addresses = question.addresses
        if let answered = question.answered { waited = Instant.now - answered }
        stage = addresses.isEmpty ? .over(question.outcome) : .found(addresses)
    }

    private func ask(_ addresses: [IPAddress]) {
        let isBody = if case .body = expectation { true } else { false }
        let rest = max(.zero, deadline - Instant.now)
        guard
            let request = HTTPRequest(
                url: url, target, addresses: Self.chosen(addresses), device: device,
                keepsBody: isBody, timeout: rest)
        else {
            stage = .over(Self.unprepared)
            return
        }
        request.begin(multi)
        stage = .asking(request)
    }

    private func judge(_ facts: HTTPFacts, _ request: HTTPRequest) {
        request.end(multi)
        let judgement = HTTPJudgement(
            target: target, expectation: expectation, roundTrip: Instant.now - asked - waited)
        stage = .over(judgement.outcome(facts))
    }

    /// The addresses to connect to: those of both families in turn, in their order. Otherwise the many
    /// addresses of one family could displace those of the only family that the link has. An IPv6 address
    /// comes first: without IPv6, that attempt fails at once, and only the error of the last address counts.
    static func chosen(_ addresses: [IPAddress]) -> [IPAddress] {
        let leading = addresses.filter(\.isIPv6)
        let others = addresses.filter { !$0.isIPv6 }
        let turns = (0..<mostAddresses).flatMap { turn in
            leading.dropFirst(turn).prefix(1) + others.dropFirst(turn).prefix(1)
        }
        return Array(turns.prefix(mostAddresses))
    }

    private static let mostAddresses = 8
}
