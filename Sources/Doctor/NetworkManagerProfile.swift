import Model
import Owners
import Platform

/// Reads how often NetworkManager tries to connect before it gives up, if that is configured (nm-settings(5),
/// NetworkManager.conf(5)).
struct NetworkManagerProfile {
    private static let mostFiles = 4096
    private let root: String

    init(root: String) { self.root = root }

    /// The number from the device's profile, or else from the setting for all profiles; nil if neither is
    /// set.
    func autoconnectRetries(ofDevice index: Int32) -> Int? {
        let device = SettingLines(file: "\(root)/run/NetworkManager/devices/\(index)")
        let profile = device?.value("connection-uuid", in: "device").flatMap(profile)
        let own = profile?.value("autoconnect-retries", in: "connection").flatMap { Int($0) }
        if let own, own >= 0 { return own }
        return usual
    }

    /// The connection profile with this UUID. Only root can read profiles.
    private func profile(_ identity: String) -> SettingLines? {
        for directory in ["/etc", "/run", "/usr/lib"] {
            let place = "\(root)\(directory)/NetworkManager/system-connections"
            for name in DirectoryListing.of(place, atMost: Self.mostFiles).sorted() {
                guard let file = SettingLines(file: "\(place)/\(name)"),
                    file.value("uuid", in: "connection") == identity
                else { continue }
                return file
            }
        }
        return nil
    }

    /// The setting for all profiles.
    private var usual: Int? {
        NetworkManagerSettings(root: root).last {
            $0.value("autoconnect-retries-default", in: "main").flatMap { Int($0) }
        }
    }
}
