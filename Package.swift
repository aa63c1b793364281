// swift-tools-version: 6.2
import PackageDescription

// Each layer is a target. A target may import only the targets in its `dependencies` list.

/// For the targets whose tests simulate millions of runs: debug builds are optimised, so that the tests take
/// a tenth of the time, but keep their assertions.
let quick: [SwiftSetting] = [
    .unsafeFlags(["-O", "-Xfrontend", "-assert-config", "-Xfrontend", "Debug"], .when(configuration: .debug))
]
/// For the targets of the event loop: code without another isolation runs on the main actor.
let onTheMainActor: [SwiftSetting] = [.defaultIsolation(MainActor.self)]

let package = Package(
    name: "wifi-toggler",
    products: [
        .executable(name: "wifi-toggler", targets: ["wifi-toggler"]),
        .executable(name: "wifi-toggler-prober", targets: ["wifi-toggler-prober"]),
    ],
    targets: [
        .systemLibrary(
            name: "CNetlink", pkgConfig: "libnl-genl-3.0",
            providers: [.apt(["libnl-3-dev", "libnl-genl-3-dev"])]),
        .systemLibrary(name: "CInih", pkgConfig: "inih", providers: [.apt(["libinih-dev"])]),
        // These two libraries parse bytes from the network, so only wifi-toggler-prober links with them.
        // libcurl is found without pkg-config: since Debian 13, libcurl.pc has flags of Kerberos (-isystem),
        // which the package manager drops with a warning.
        .systemLibrary(name: "CCurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CAres", pkgConfig: "libcares", providers: [.apt(["libc-ares-dev"])]),

        // Headers without a library: declarations that the toolchain's Glibc module lacks (pidfd, timerfd,
        // rfkill, mallopt).
        .systemLibrary(name: "CLinux"),

        .target(name: "Model", swiftSettings: quick),
        .target(name: "Toggling", dependencies: ["Model"], swiftSettings: quick),
        .target(name: "Invocation", dependencies: ["CInih", "Model"]),
        .target(name: "HelperProtocol", dependencies: ["Model"]),
        .target(name: "Platform", dependencies: ["CLinux", "Model"]),
        .target(name: "Netlink", dependencies: ["CNetlink", "Platform", "Model"]),
        .target(
            name: "Guarding", dependencies: ["CLinux", "Netlink", "Platform", "Recovery", "Model"]),
        .target(
            name: "Probing", dependencies: ["CLinux", "HelperProtocol", "Netlink", "Platform", "Model"]),
        .target(name: "Recovery", dependencies: ["CLinux", "Netlink", "Platform", "Model"]),
        .target(name: "Owners", dependencies: ["Platform", "Model"]),
        .target(name: "Doctor", dependencies: ["Model", "Owners", "Platform"]),
        .target(name: "Reporting", dependencies: ["Model", "Toggling"]),
        .target(name: "Service", dependencies: ["Model", "Toggling"], swiftSettings: onTheMainActor),
        .executableTarget(
            name: "wifi-toggler",
            dependencies: [
                "Doctor", "Guarding", "Invocation", "Model", "Netlink", "Owners", "Platform", "Probing",
                "Recovery", "Reporting", "Service", "Toggling",
            ],
            swiftSettings: onTheMainActor),
        .executableTarget(
            name: "wifi-toggler-prober",
            dependencies: ["CAres", "CCurl", "CLinux", "HelperProtocol", "Model", "Platform"]),

        // Helpers of the test targets below; no product contains them.
        .target(name: "TestSupport", dependencies: ["Platform"], path: "Tests/TestSupport"),
        .testTarget(
            name: "TogglingTests", dependencies: ["Reporting", "Service", "Model", "Toggling"],
            swiftSettings: quick),
        .testTarget(name: "InvocationTests", dependencies: ["Invocation", "Model", "Reporting"]),
        .testTarget(name: "PlatformTests", dependencies: ["CLinux", "Model", "Platform", "TestSupport"]),
        .testTarget(
            name: "NetlinkTests", dependencies: ["CNetlink", "Netlink", "Model", "Platform", "TestSupport"]),
        .testTarget(
            name: "GuardingTests", dependencies: ["Guarding", "Platform", "Recovery", "Model"]),
        .testTarget(
            name: "RecoveryTests",
            dependencies: ["CLinux", "Model", "Netlink", "Platform", "Recovery", "TestSupport"]),
        .testTarget(
            name: "OwnersTests", dependencies: ["Doctor", "Model", "Owners", "Platform", "TestSupport"]),
        .testTarget(name: "HelperProtocolTests", dependencies: ["HelperProtocol", "Model"]),
        .testTarget(
            name: "ProberTests",
            dependencies: ["CAres", "CCurl", "HelperProtocol", "Model", "Platform", "wifi-toggler-prober"]),
        .testTarget(
            name: "ProbingTests",
            dependencies: ["HelperProtocol", "Platform", "Probing", "Model", "TestSupport"]),
        .testTarget(
            name: "ReportingTests",
            dependencies: [
                "CAres", "Doctor", "Guarding", "HelperProtocol", "Invocation", "Model", "Netlink", "Owners",
                "Platform", "Probing", "Recovery", "Reporting", "TestSupport", "Toggling",
                "wifi-toggler-prober",
            ]),
        .testTarget(name: "DoctorTests", dependencies: ["Doctor", "Model"]),
        .testTarget(
            name: "ServiceTests", dependencies: ["Model", "Reporting", "Service", "Toggling"],
            swiftSettings: onTheMainActor),
        .testTarget(
            name: "SystemTests",
            dependencies: [
                "CLinux", "CNetlink", "Guarding", "Invocation", "Netlink", "Platform", "Probing", "Recovery",
                "Model", "TestSupport", "Toggling",
            ]),
    ],
    swiftLanguageModes: [.v6]
)

// Leaves out the test targets that a sanitizer run does not need: they take a quarter of the build time
// (contrib/sanitize --brief).
if let names = Context.environment["WIFI_TOGGLER_WITHOUT_TESTS"]?.split(separator: " ") {
    package.targets.removeAll { names.contains(Substring($0.name)) }
}

// Only for fuzzing (Tests/Fuzzing/run): the fuzzers need libFuzzer's entry point and its compiler flags in
// all targets.
if Context.environment["WIFI_TOGGLER_FUZZERS"] != nil {
    package.targets.append(
        .executableTarget(
            name: "wifi-toggler-fuzz",
            dependencies: [
                "CLinux", "CNetlink", "Guarding", "HelperProtocol", "Invocation", "Netlink", "Platform",
                "Model", "Probing", "Recovery", "Reporting", "Service", "Toggling",
            ],
            path: "Tests/Fuzzing/Targets"))
}
