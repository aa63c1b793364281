import Glibc
import Model
import Platform

extension ErrorReport {
    /// The result of a probe.
    ///
    /// An error from another host, or an unresolved neighbour, means that the target did not answer. Any
    /// other error of this machine, such as one from a firewall rule, means that the probe could not be sent:
    /// the result is unknown.
    /// - Parameter local: the source address of the probe.
    func result(from local: IPAddress?) -> ProbeResult {
        let words = String(cString: strerror(code))
        let isOurs = offender == nil || offender == local
        if isOurs && isSilentNeighbour { return .unanswered(detail: "the next hop did not answer: \(words)") }
        if isOurs { return .unknown(Failure(SystemError(call: "send", code: code))) }
        return .unanswered(detail: "\(offender!) reports: \(words)")
    }
}
