/// A problem in a machine's set-up that harms a Wi-Fi link, or that prevents the program from recovering one.
public struct SetupFinding: Hashable, Sendable {
    /// How much the problem matters, in ascending order.
    public enum Severity: Int, Hashable, Sendable, Comparable, CaseIterable {
        case note, warning, error

        public static func < (one: Severity, other: Severity) -> Bool { one.rawValue < other.rawValue }
    }

    /// The kinds of problems.
    public enum Kind: Hashable, Sendable {
        case radioBlocked(RadioBlock)
        /// systemd-rfkill(8) keeps a block in this file and restores it at boot.
        case blockStored(file: String)
        /// systemd-networkd has this ActivationPolicy= and reverts changes of the administrative state.
        case activationPolicy(String)
        case autoconnectRetries(Int)
        case savesPower(PowerSaveEffect)
        case disputed([Owner])
        case ownerUnknown
        /// An owner that does not work, or has stopped connecting the interface.
        case ownerCondition(OwnerCondition)
        case configConflict(ConfigConflict)
        case noDefaultRoute
        /// The interface is a port: a bounce also interrupts the other traffic of its master.
        case port(Port)
        /// Packets to the gateway have a source address of another network, although this link has an address
        /// in the gateway's network.
        case foreignSource(InterfaceAddress, gateway: IPAddress, ours: IPAddress)
        /// No router advertisements arrive although the gateway answers.
        case deaf(LastAdvertisement)
        /// A driver file has a remedy for a fault of this driver. Or it says that power saving must be off, and
        /// the settings do not keep it off.
        case knownDriver(DriverName, fault: String?, wantsPowerSaveAuto: Bool, remedy: String?)
        /// The service may not use some of the methods that are configured for this interface.
        case forbiddenMethods(ForbiddenMethods)
        /// What would keep the service from rebooting the machine.
        case reboot(RebootProblem)
        /// The service may not reset the device, which it would do if the radio refused to work.
        case mayNotReset(ForbiddenMethods)
        /// The service may not restart the owner, which it would do if the owner hung or died.
        case mayNotRestart(RestartAccess)
        case strictReversePath(uplinks: [String])
        case mayNotChangeLinks
        case mayNotPing
        /// The settings want IPv6 addresses announced, but the service may not open raw sockets.
        case mayNotAnnounceIPv6
        /// Another program that sets links down and up by itself.
        case rival(String, process: Int32)
        case cronRival(file: String, line: Int)
        /// The service runs, and a cron job starts the program too.
        case cronBesideService(file: String, line: Int)
        case noCountry
        case clockBehind(Duration)
        case serviceNotEnabled
        case serviceMasked
        case nothingStartsUs
        /// The program cannot keep its files in one of its directories; the text says in which one, and why.
        case directory(String)
    }

    /// The effect of power saving on the round trips to the gateway.
    public enum PowerSaveEffect: Hashable, Sendable {
        /// Too few round trips were measured, or they show no clear effect.
        case unknown
        /// Answers wait until the radio wakes up.
        case delays(GatewayRoundTrips)
        case noDelays(GatewayRoundTrips)
    }

    /// Values of networkd's ActivationPolicy= (systemd.network(5)).
    public static let alwaysUp = "always-up"
    public static let alwaysDown = "always-down"

    /// The name of the interface; nil: the finding is about the whole machine.
    public var interface: String?
    public var kind: Kind

    public init(_ kind: Kind, of interface: String? = nil) {
        self.kind = kind
        self.interface = interface
    }

    /// An error prevents the program's work, a warning impairs it, and a note is only information.
    public var severity: Severity {
        switch kind {
        case .radioBlocked, .disputed: .error
        case .activationPolicy(let policy): policy == Self.alwaysDown ? .error : .warning
        case .ownerCondition(let condition): condition.kind == .toldToDisconnect ? .note : .warning
        case .savesPower(.noDelays): .note
        case .reboot(let problem): problem.severity
        case .blockStored, .autoconnectRetries, .savesPower, .noDefaultRoute, .foreignSource, .deaf,
            .knownDriver, .forbiddenMethods, .strictReversePath, .mayNotPing, .mayNotAnnounceIPv6, .rival,
            .cronRival, .cronBesideService, .clockBehind, .serviceNotEnabled, .directory, .configConflict:
            .warning
        case .mayNotReset, .mayNotRestart, .port, .ownerUnknown, .mayNotChangeLinks, .noCountry,
            .serviceMasked,
            .nothingStartsUs:
            .note
        }
    }
}
