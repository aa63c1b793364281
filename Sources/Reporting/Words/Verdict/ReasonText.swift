import Model

extension Reason {
    /// The reason as a sentence without a full stop.
    public var description: String {
        switch self {
        case .gatewayConfirmed(let address, let ago):
            "the gateway \(address) was confirmed reachable \(ago.text) ago"
        case .probeAnswered(let question): question.answeredText
        case .nothingWrongInKernel: "the kernel finds nothing wrong"
        case .radioBlocked(.hard): "the radio is switched off by hardware (rfkill)"
        case .radioBlocked: "the radio is blocked by rfkill"
        case .administrativelyDown: "the link is administratively down, set by someone else"
        case .notAssociated: "not associated with any access point"
        case .closedByKernel: "the kernel itself set the link down, not a program"
        case .interfaceLost: "the interface is gone, although its device was not unplugged"
        case .ssidNotFound(let ssid, let others, let ago):
            "the network \"\(ssid)\" is not found; \(others) other network\(others == 1 ? " was" : "s were")"
                + " heard, last \(ago.text) ago"
        case .disconnectedLocally:
            "a program of this machine left the network, and no program has asked to join it again"
        case .notAuthorised(let state):
            "associated, but the exchange of keys is not complete (operational state \(state.text))"
        case .noCarrier: "no carrier: the cable or its far end is gone"
        case .noAddress: "no address other than link-local addresses"
        case .addressNotReady:
            "no address can be used: duplicate address detection has not finished, or has failed"
        case .gatewaySilent(let addresses):
            addresses.count == 1
                ? "the gateway \(addresses[0]) does not answer"
                : "no gateway answers: \(addresses.map(\.description).joined(separator: ", "))"
        case .gatewayEchoSilent(let addresses, let silence):
            "the gateway \(addresses.map(\.description).joined(separator: ", ")) still answers the"
                + " neighbour probe but no longer an ICMP echo, and no TCP connection has received anything"
                + " for \(silence.text)"
        case .gatewayRouteLost(let addresses):
            "the route through \(addresses.map(\.description).joined(separator: ", ")) is gone"
        case .targetSilent(let questions):
            "no answer to \(questions.map(\.text).joined(separator: ", ")); the gateway is not at fault"
        case .nameServerSilent(let questions):
            "no name server answers \(questions.map(\.text).joined(separator: ", "));"
                + " the gateway is not at fault"
        case .answerWrong(let question, let detail): "\(question.text): \(detail)"
        case .portal(let question, let detail):
            "a login page (captive portal) answers in place of the Internet: \(question.text): \(detail)"
        case .neverAssociated:
            "not associated since the interface appeared, and never healthy before;"
                + " the program does not recover the link until it has joined a network"
        case .noGateway: "no route of the interface has a gateway, so there is nothing to probe"
        case .neverAnswered(let question):
            "no answer to \(question.text), which has never answered on this network"
        case .couldNotAsk(let failure): "the probe could not be sent: \(failure.description)"
        case .commandUndecided(let path, let failure):
            "command \(path) gave no verdict: \(failure.description)"
        case .kernelStateFailed(let failure): "the kernel could not be asked: \(failure.description)"
        case .noAnswerFromSystem: "the system did not answer in time"
        case .notVerified: "the health of the link was not checked"
        }
    }
}

extension Reason {
    /// What a user can do about the reason; nil: nothing that always helps.
    func remedy(interface: String) -> String? {
        switch self {
        case .radioBlocked(.hard): "use the switch or key of the machine"
        case .radioBlocked: "run 'sudo rfkill unblock wlan'"
        case .administrativelyDown: "run 'sudo ip link set \(interface) up'"
        case .portal: "log in with a browser"
        case .noGateway: "name a host with --probe"
        default: nil
        }
    }

    /// The reason as a sentence, with the remedy if there is one.
    func description(interface: String) -> String {
        description + (remedy(interface: interface).map { " (\($0))" } ?? "")
    }
}

extension ProbeRequest.Question {
    /// The question as in the evidence, such as `neighbour 10.0.0.1`.
    var text: String {
        switch self {
        case .neighbour(let address): "neighbour \(address)"
        case .icmp(let target): "icmp \(target)"
        case .tcp(let target, let port): "tcp \(target) port \(port)"
        case .dns(let name, let server): "dns \(name)" + (server.map { " at \($0)" } ?? "")
        case .http(let question): "http \(question.url)"
        case .command(let path): "command \(path)"
        }
    }
}

extension ProbeRequest.Question {
    fileprivate var answeredText: String {
        switch self {
        case .neighbour(let address): "the gateway \(address) answered the neighbour probe"
        case .icmp(let target): "\(target) answered an ICMP echo"
        case .tcp(let target, let port): "\(target) answered on TCP port \(port)"
        case .dns(let name, let server):
            (server.map { "the name server \($0)" } ?? "a name server of the link") + " knows \(name)"
        case .http(let question): "\(question.url) answered as expected"
        case .command(let path): "\(path) reports that all is well"
        }
    }
}

extension OperationalState {
    /// The state as ip-link(8) names it, but in lower case and with spaces between words.
    var text: String {
        switch self {
        case .unknown: "unknown"
        case .notPresent: "not present"
        case .down: "down"
        case .lowerLayerDown: "lower layer down"
        case .testing: "testing"
        case .dormant: "dormant"
        case .up: "up"
        }
    }
}

extension Neighbour.State {
    /// The word of ip-neighbour(8), in lower case.
    var text: String {
        switch self {
        case .none: "none"
        case .incomplete: "incomplete"
        case .reachable: "reachable"
        case .stale: "stale"
        case .delay: "delay"
        case .probe: "probe"
        case .failed: "failed"
        case .noARP: "noarp"
        case .permanent: "permanent"
        }
    }
}

extension Wireless.Role {
    public var text: String {
        switch self {
        case .station: "station"
        case .accessPoint: "access point"
        case .monitor: "monitor"
        case .adHoc: "ad hoc"
        case .mesh: "mesh"
        case .p2pClient: "P2P client"
        case .p2pGroupOwner: "P2P group owner"
        case .other(let number): "type \(number)"
        }
    }
}
