import Glibc
import Guarding
import Invocation
import Model
import Platform
import Recovery
import Reporting
import Service

/// A device that has lost its interface. The unit of the method reset (`wifi-toggler-reset@.service`) resets
/// it for a service.
struct LostDevice {
    private let interface: String
    private let reset: BusReset

    /// Finds the device by the record of the service.
    /// - Returns: nil if this process is not in the reset unit, if the interface exists, or if the service
    ///   has ordered no reset; a failure if the record cannot be read or the reset is refused.
    static func find(
        _ request: Request, _ settings: Settings, _ drivers: DriverTable
    ) -> Result<LostDevice?, CommandError> {
        guard isOfUnit(request, settings), let name = request.interfaces.first?.text,
            if_nametoindex(name) == 0
        else { return .success(nil) }
        let ordered: BusReset?
        do throws(SystemError) {
            ordered = try IntentRecord.orderedReset(of: name, in: ResetUnit.serviceDirectory)
        } catch {
            return .failure(
                refusal(name, "\(ResetUnit.serviceDirectory)/\(name).intent: \(error.description)"))
        }
        guard let ordered else { return .success(nil) }
        do throws(Failure) {
            let reset = try ordered.verified(by: drivers)
            return .success(LostDevice(interface: name, reset: reset))
        } catch {
            return .failure(refusal(name, error.description))
        }
    }

    /// Whether this process is in the reset unit, and a service has ordered the reset of this interface,
    /// which exists. A link that is down then counts as up: the service has set it down, and cannot set it
    /// up.
    static func isOrdered(_ request: Request, _ settings: Settings, for link: Link) -> Bool {
        guard isOfUnit(request, settings),
            let ordered = try? IntentRecord.orderedReset(of: link.name, in: ResetUnit.serviceDirectory)
        else { return false }
        return ordered.interfaces.contains { $0.index == link.index.rawValue }
    }

    private static func isOfUnit(_ request: Request, _ settings: Settings) -> Bool {
        request.command == .toggle && request.runDirectory == ResetUnit.runDirectory
            && settings.methods == [.reset] && !settings.isDryRun
    }

    private static func refusal(_ interface: String, _ reason: String) -> CommandError {
        CommandError(
            description: "\(interface): this interface is gone, and its device is not reset: \(reason)",
            status: .unavailable)
    }

    /// The interface that is gone. It has an index that no interface has.
    var candidate: Candidate {
        Candidate(
            link: Link(
                index: InterfaceIndex(rawValue: .max), name: interface, isUp: true, hasCarrier: true,
                operationalState: .up),
            wireless: Wireless(role: .station, phy: 0))
    }

    /// The last state of the interface, and the reset of its device; nil: the device has its interface again.
    func loss() -> (state: KernelState, reset: BusReset)? {
        reset.lost(KernelState(link: candidate.link, wireless: candidate.wireless)).map { ($0, reset) }
    }
}
