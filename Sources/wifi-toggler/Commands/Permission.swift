import Invocation
import Platform

/// Reports a missing permission to lower a link before anything is begun.
enum Permission {
    static func require(_ console: Console, for interface: String) {
        if Capabilities.includeNetworkAdministration { return }
        console.fail(
            "\(interface): not permitted to lower and raise the link (needs CAP_NET_ADMIN: run as root)",
            .noPermission)
    }

    /// For `repair`, which may act on any interface.
    static func requireUnlessDry(_ console: Console, _ request: Request) {
        if !request.settings(for: "", file: nil).isDryRun { require(console, for: "repair") }
    }
}
