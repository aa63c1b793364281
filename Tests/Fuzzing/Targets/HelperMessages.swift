import Model
import Platform

@testable import HelperProtocol
@testable import Probing

/// What the program and its helper read from each other, each as if the other were hostile, and the files
/// with the name servers of links. The first byte chooses the reader.
enum HelperMessages {
    private static let readers: [@MainActor ([UInt8]) -> Void] = [takeRequest, takeAnswer, takeServers]

    @MainActor static func take(_ bytes: [UInt8]) {
        guard let choice = bytes.first else { return }
        readers[Int(choice) % readers.count](Array(bytes.dropFirst()))
    }

    /// The helper's side.
    private static func takeRequest(_ bytes: [UInt8]) {
        guard let request = HelperRequest(bytes) else { return }
        demand(request.bytes == bytes, "another message")
        demand(request.index.rawValue > 0, "no interface")
        demand(request.timeout > .zero && request.timeout <= .seconds(600), "\(request.timeout)")
        demand(request.servers.count <= HelperRequest.maximumServers, "\(request.servers.count) servers")
        demandPrintable(request.interface)
        switch request.question {
        case .dns(let name, _): demand(HostName.isValid(name), "no name: \(name)")
        case .http(let url, .status(let status)):
            demandPrintable(url)
            demand((100...599).contains(status), "status \(status)")
        case .http(let url, .body(let text)):
            demandPrintable(url)
            demand(!text.isEmpty, "a body of nothing")
        }
    }

    /// The program's side.
    @MainActor private static func takeAnswer(_ bytes: [UInt8]) {
        guard let answer = HelperAnswer(bytes) else { return }
        demand(answer.bytes == bytes, "another message")
        let questions: [HelperRequest.Question] = [
            .dns(name: "a.example", expectsPrivate: false), .http(url: "http://a.example/", .status(204)),
        ]
        for question in questions {
            switch HelperProbe.result(answer.outcome, of: question, within: .seconds(1)) {
            case .neverAnswered: fatalError("whom the core knows is not the helper's to tell")
            case .answered(let roundTrip, let detail):
                demand(roundTrip >= .zero && roundTrip <= .seconds(1), "\(roundTrip)")
                demandPrintable(detail)
            case .refuted(let layer, let roundTrip, let detail):
                demand(roundTrip >= .zero && roundTrip <= .seconds(1), "\(roundTrip)")
                demand(layer == .dns || layer == .internet || layer == .portal, "\(layer)")
                demandPrintable(detail)
            case .unanswered(let detail): demandPrintable(detail)
            case .unknown(let failure):
                demand(!failure.description.isEmpty, "a failure without words")
                demandPrintable(failure.description)
            }
        }
    }

    private static func takeServers(_ bytes: [UInt8]) {
        let servers = DNSServers(device: Device(index: InterfaceIndex(rawValue: 7), name: "wlan0"))
        let formats: [DNSServers.Format] = [
            .resolverConfiguration, .assignment(key: "DNS"),
            .keyFile(group: "dhcp4", key: "domain_name_servers"),
        ]
        for format in formats {
            let found = servers.parse(String(decoding: bytes, as: UTF8.self), as: format)
            demand(found.count <= DNSServers.maximum, "\(found.count) servers")
            demand(Set(found).count == found.count, "one twice")
            demand(found.allSatisfy { IPAddress($0.description) == $0 }, "no address")
        }
    }
}
