import Invocation
import Platform

/// Checks for the permission to change links before anything is started.
enum Permission {
    static func require(_ console: Console, for interface: String) {
        if Capabilities.includeNetworkAdministration { return }
        console.fail(
            "\(interface): not permitted to lower and raise the link (needs CAP_NET_ADMIN: run as root)",
            .noPermission)
    }

    /// Checks the permission for `repair`, which may act on any interface. A dry run needs none.
    static func requireUnlessDry(_ console: Console, _ request: Request) {
        if !request.settings(for: "", file: nil).isDryRun { require(console, for: "repair") }
    }
}
