// swift-tools-version: 6.2
import PackageDescription

// One layer, one target. An arrow in a `dependencies` list is the only import allowed.
// The system libraries come from Debian's -dev packages; no Swift package is fetched.

let package = Package(
    name: "wifi-toggler",
    targets: [
        .target(name: "Toggling"),

        .testTarget(name: "TogglingTests", dependencies: ["Toggling"]),
    ],
    swiftLanguageModes: [.v6]
)
