import Model

extension SetupFinding {
    /// Where the documents say more about a finding.
    struct Reference: Hashable {
        /// A manual page with its section number, or a file of the installed documents.
        var page: String
        /// The title of a section or subsection of that page.
        var section: String

        var text: String { "\(page), \(section)" }

        fileprivate static func recovery(_ section: String) -> Self {
            Self(page: "wifi-toggler-recovery(7)", section: section)
        }

        fileprivate static func troubleshooting(_ section: String) -> Self {
            Self(page: "TROUBLESHOOTING.md", section: section)
        }
    }

    var reference: Reference {
        switch kind {
        case .radioBlocked, .blockStored, .noCountry:
            .troubleshooting("The radio is blocked, or does not work at all")
        case .disputed, .ownerUnknown, .configConflict(.delayTooLong),
            .configConflict(.settleTooShort), .configConflict(.disputed):
            .recovery("OWNERS")
        case .configConflict(.cannotReassociate), .ownerCondition: .recovery("METHODS")
        case .autoconnectRetries: .troubleshooting("NetworkManager")
        case .savesPower: .recovery("POWER SAVING")
        case .reboot: .recovery("REBOOTING")
        case .noDefaultRoute: .troubleshooting("Connected, but no data")
        case .port: .troubleshooting("Bond or bridge")
        case .foreignSource, .strictReversePath: .troubleshooting("Packets take another way")
        case .knownDriver: .troubleshooting("Bounces do not help")
        case .mayNotChangeLinks, .mayNotPing, .mayNotRestart: .recovery("SECURITY CONSIDERATIONS")
        case .mayNotAnnounceIPv6, .deaf: .recovery("ANNOUNCEMENTS")
        case .forbiddenMethods, .mayNotReset: .troubleshooting("Stronger methods")
        case .rival, .cronRival, .activationPolicy: .troubleshooting("Another program sets the link down")
        case .cronBesideService: .troubleshooting("Cron sends mails")
        case .clockBehind: .troubleshooting("Raspberry Pi")
        case .serviceNotEnabled, .serviceMasked, .nothingStartsUs, .directory:
            .troubleshooting("The service does not start, or does not answer")
        }
    }
}
