import Glibc
import Model
import Owners
import Platform

/// Collects facts about the Wi-Fi links of this machine from files. Sends nothing to the network or to a
/// daemon, starts no program, and changes nothing. It connects to the sockets of the service and of
/// wpa_supplicant, but only to find out whether they run. Facts that cannot be read are left out.
@MainActor public struct MachineInspector {
    private static let mostFiles = 1024

    private let root: String
    private let search: OwnerDetector
    private let routes: RouteTables

    /// - Parameter root: the root of the file system, without a slash at its end.
    public init(root: String = "") {
        self.root = root
        search = OwnerDetector(root: root)
        routes = RouteTables(root: root)
    }

    // MARK: An interface

    /// The facts about an interface.
    /// - Parameter names: the interfaces that have a default route; nil: not known.
    public func facts(of kernelState: KernelState, defaultRoutesOver names: [String]?) -> InterfaceFacts {
        let (name, index) = (kernelState.link.name, kernelState.link.index.rawValue)
        let ownership = search.ownership(of: name, index: index, isWireless: kernelState.wireless != nil)
        var facts = InterfaceFacts(name: name, kernelState: kernelState, ownership: ownership)
        facts.hasDefaultRoute = names?.contains(kernelState.link.port?.upper?.name ?? name)
        facts.driver = SysfsDriver.name(ofInterface: name, root: root)
        let owners = ownership.network.owners
        if owners.contains(.networkd) {
            facts.activationPolicy = SettingLines(file: "\(root)/run/systemd/netif/links/\(index)")?
                .value("ACTIVATION_POLICY")
        }
        if owners.contains(.networkManager) {
            facts.autoconnectRetries = NetworkManagerProfile(root: root).autoconnectRetries(ofDevice: index)
        }
        return facts
    }

    // MARK: The machine

    /// The facts about the machine, without the country, which the kernel reports only by netlink, and
    /// without the condition of systemd-resolved.
    /// - Parameter service: the process of the running service; nil if none is known.
    public func machine(stateDirectory: String, runDirectory: String, service: Int32?) -> MachineFacts {
        var facts = MachineFacts()
        facts.mayChangeLinks = Capabilities.includeNetworkAdministration
        let status = service.flatMap { ProcessStatus(of: $0, root: root) }
        facts.mayOpenRawSockets = status?.has(Self.rawSockets) ?? Capabilities.includeRawSockets
        facts.mayPing =
            facts.mayOpenRawSockets
            || isInPingGroupRange(
                status.map { $0.supplementaryGroups + [$0.fileSystemGroup].compactMap(\.self) }
                    ?? UserAccount.groupsOfProcess)
        facts.rivals = [RunningPrograms.ProgramKind.ifplugd, .netplugd].flatMap { kind in
            search.programs.of(kind).map { MachineFacts.Rival(name: kind.rawValue, process: $0.process) }
        }
        facts.cron = CronTables(root: root).lines
        facts.storedBlocks = storedBlocks
        facts.uplinks = routes.overIPv4 ?? []
        facts.strictlyFiltered = facts.uplinks.filter(isStrictlyFiltered)
        facts.clockBehind = clockBehind
        facts.unit = unit
        facts.isServiceRunning = service != nil || search.programs.isPopulated(.ourselves)
        facts.directoryProblems = [stateDirectory, runDirectory].compactMap {
            StateFile.problem(ofDirectory: root + $0)
        }
        return facts
    }

    /// The process of the running service; nil: none is seen.
    ///
    /// The service is the process that listens on the control socket, because only root and the service's
    /// user can make a socket there. If there is no such socket, or if this process may not connect to it,
    /// the service is a process with the service's name and command. That process must belong to root, to the
    /// service's user or to the user of this process.
    /// - Parameter socket: the name of the control socket.
    public func service(socket: String, runDirectory: String) -> Int32? {
        if let process = ControlSocket.listener(on: socket, in: root + runDirectory) { return process }
        return search.programs.of(.ourselves).first {
            $0.arguments.dropFirst().first == "run" && isOfServicesUser($0.process)
        }?.process
    }

    private func isOfServicesUser(_ process: Int32) -> Bool {
        var status = stat()
        guard stat("\(root)/proc/\(process)", &status) == 0 else { return false }
        return [0, UserAccount.ofProcess].contains(status.st_uid)
            || DirectoryCredentials.isService(status.st_uid)
    }

    /// The number of CAP_NET_RAW (capabilities(7)).
    private static let rawSockets: Int32 = 13

    /// Whether one of these groups is in the range of net.ipv4.ping_group_range (icmp(7)); true if the range
    /// cannot be read.
    private func isInPingGroupRange(_ groups: [UInt32]) -> Bool {
        guard let line = SmallFile.line("\(root)/proc/sys/net/ipv4/ping_group_range") else { return true }
        let numbers = line.utf8.split { $0 == 0x20 || $0 == 0x09 }.compactMap { UInt32(String($0) ?? "") }
        guard numbers.count == 2, numbers[0] <= numbers[1] else { return false }
        return groups.contains { (numbers[0]...numbers[1]).contains($0) }
    }

    /// The files of systemd-rfkill(8) that store a block of a Wi-Fi radio. Their names consist of the device
    /// and the kind, or of the kind alone.
    private var storedBlocks: [String] {
        let (directory, kind) = ("/var/lib/systemd/rfkill", "wlan")
        return DirectoryListing.of(root + directory, atMost: Self.mostFiles).sorted()
            .filter { $0 == kind || $0.hasSuffix(":\(kind)") }.map { "\(directory)/\($0)" }
            .filter { SmallFile.line(root + $0) == "1" }
    }

    /// Whether reverse-path filtering is strict on an interface. The greater of the interface's own value and
    /// that for all interfaces applies (ip-sysctl in the kernel's documentation, rp_filter).
    private func isStrictlyFiltered(_ name: String) -> Bool {
        let strict = 1
        let words = ["all", name].compactMap {
            SmallFile.line("\(root)/proc/sys/net/ipv4/conf/\($0)/rp_filter").flatMap { Int($0) }
        }
        // 1 is strict and 2 is loose.
        return words.max() == strict
    }

    private var clockBehind: Duration? {
        var status = stat()
        guard stat("\(root)/proc/self/exe", &status) == 0 else { return nil }
        let behind = Int64(status.st_mtim.tv_sec) - WallClock.seconds()
        return behind > 0 ? .seconds(behind) : nil
    }

    /// The state of the service's unit; nil if systemd does not run.
    private var unit: MachineFacts.Unit? {
        guard access("\(root)/run/systemd/system", F_OK) == 0 else { return nil }
        let name = "wifi-toggler.service"
        let directories = SystemdUnit.directories.map { root + $0 }
        let administrators = directories[0]
        let isMasked = { (unit: String) in
            SymbolicLink.target("\(administrators)/\(unit)") == "/dev/null"
        }
        let isThere = directories.contains { directory in
            var status = stat()
            return lstat("\(directory)/\(name)", &status) == 0
        }
        let enabled = DirectoryListing.of(administrators, atMost: Self.mostFiles)
            .filter { $0.hasSuffix(".wants") }
            .flatMap { DirectoryListing.of("\(administrators)/\($0)", atMost: Self.mostFiles) }
            .filter { !isMasked($0) }
        // Instances and timers are enabled in place of the service, which may then be masked.
        if enabled.contains(where: { $0 == name && isThere || Self.isInstance($0) }) { return .enabled }
        if enabled.contains(where: Self.isTimer) { return .timer }
        if isMasked(name) { return .masked }
        return isThere ? .disabled : .missing
    }

    private static func isInstance(_ unit: String) -> Bool {
        unit.hasPrefix("wifi-toggler@") && unit.hasSuffix(".service")
    }

    private static func isTimer(_ unit: String) -> Bool {
        unit.hasPrefix("wifi-toggler-reconnect@") && unit.hasSuffix(".timer")
    }
}
