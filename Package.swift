// swift-tools-version: 6.2
import PackageDescription

// One layer, one target. An arrow in a `dependencies` list is the only import allowed.
// The system libraries come from Debian's -dev packages; no Swift package is fetched.

/// The tests simulate millions of lives with the core: optimised they take a tenth of the time, and keep the
/// assertions of a debug build.
let quick: [SwiftSetting] = [
    .unsafeFlags(["-O", "-Xfrontend", "-assert-config", "-Xfrontend", "Debug"], .when(configuration: .debug))
]
/// Code of the event loop: everything runs on the main actor unless it says otherwise.
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
        // They parse bytes from strangers; only wifi-toggler-prober links with these two. Not by pkg-config: since
        // Debian 13 libcurl.pc has flags of Kerberos (-isystem) that the package manager warns about and drops.
        .systemLibrary(name: "CCurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CAres", pkgConfig: "libcares", providers: [.apt(["libc-ares-dev"])]),

        // No library: what the toolchain's Glibc module leaves out (pidfd, timerfd, rfkill, mallopt).
        .systemLibrary(name: "CLinux"),

        .target(name: "Model", swiftSettings: quick),
        .target(name: "Toggling", dependencies: ["Model"], swiftSettings: quick),
        .target(name: "Invocation", dependencies: ["CInih", "Model", "Toggling"]),
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
            dependencies: ["CAres", "CCurl", "CLinux", "HelperProtocol", "Model"]),

        // What several of the test targets below need; no product contains it.
        .target(name: "TestSupport", dependencies: ["Platform"], path: "Tests/TestSupport"),
        .testTarget(
            name: "TogglingTests", dependencies: ["Reporting", "Service", "Model", "Toggling"],
            swiftSettings: quick),
        .testTarget(name: "InvocationTests", dependencies: ["Invocation", "Model", "Toggling"]),
        .testTarget(name: "PlatformTests", dependencies: ["CLinux", "Model", "Platform", "TestSupport"]),
        .testTarget(name: "NetlinkTests", dependencies: ["CNetlink", "Netlink", "Model", "TestSupport"]),
        .testTarget(
            name: "GuardingTests", dependencies: ["Guarding", "Platform", "Recovery", "Model"]),
        .testTarget(
            name: "RecoveryTests", dependencies: ["CLinux", "Model", "Platform", "Recovery", "TestSupport"]),
        .testTarget(name: "OwnersTests", dependencies: ["Doctor", "Model", "Owners", "Platform"]),
        .testTarget(name: "HelperProtocolTests", dependencies: ["HelperProtocol", "Model"]),
        .testTarget(
            name: "ProberTests",
            dependencies: ["CAres", "CCurl", "HelperProtocol", "Model", "wifi-toggler-prober"]),
        .testTarget(
            name: "ProbingTests",
            dependencies: ["HelperProtocol", "Platform", "Probing", "Model", "TestSupport"]),
        .testTarget(name: "ReportingTests", dependencies: ["Model", "Reporting", "TestSupport", "Toggling"]),
        .testTarget(name: "DoctorTests", dependencies: ["Doctor", "Model"]),
        .testTarget(
            name: "ServiceTests", dependencies: ["Model", "Reporting", "Service", "Toggling"],
            swiftSettings: onTheMainActor),
        .testTarget(
            name: "SystemTests",
            dependencies: [
                "CLinux", "CNetlink", "Guarding", "Netlink", "Platform", "Probing", "Recovery", "Model",
                "TestSupport", "Toggling",
            ]),
    ],
    swiftLanguageModes: [.v6]
)

// Tests in which a sanitizer finds nothing: a quarter of the build (contrib/sanitize --brief).
if let names = Context.environment["WIFI_TOGGLER_WITHOUT_TESTS"]?.split(separator: " ") {
    package.targets.removeAll { names.contains(Substring($0.name)) }
}

// The ordinary build excludes the fuzzers: they need libFuzzer's entry point, and its flags everywhere
// (Tests/Fuzzing/run).
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
