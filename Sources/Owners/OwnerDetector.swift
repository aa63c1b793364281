import Glibc
import Model
import Platform

/// Finds out which programs manage an interface, from their files below /run and /etc and from the processes
/// of the machine. Sends nothing to these programs, and starts nothing. Reading all processes takes long, so
/// this runs only when its result is needed, and not in every cycle.
///
/// A program is an owner only while it runs: neither files that a dead program has left nor a process with
/// merely the same name count. The exception is ifupdown, which has no process.
@MainActor public struct OwnerDetector {
    private let root: String
    public let programs: RunningPrograms

    /// - Parameter root: the root of the file system, without a slash at its end.
    public init(root: String = "") {
        self.root = root
        programs = RunningPrograms(root: root)
    }

    /// The owners of an interface.
    /// - Parameter isWireless: false for a wired interface, which needs no program that associates it.
    public func ownership(of interface: String, index: Int32, isWireless: Bool = true) -> Ownership {
        guard SysfsClass.isComponent(interface) else { return Ownership() }
        let dhcpcd = processesOfDhcpcd(interface)
        let network = network(interface, index, dhcpcd)
        return Ownership(
            station: isWireless ? station(interface, network.claims) : Ownership.Part(isNeeded: false),
            network: network, absent: absent(index) + absentClients(interface, dhcpcd),
            isDelegatedToIwd: isWireless && network.owners.contains(.networkManager)
                && NetworkManagerSettings(root: root).usesIwd)
    }

    /// A claim of an owner that serves the whole machine with one process.
    private func claim(_ owner: Owner, _ kind: RunningPrograms.ProgramKind, _ evidence: String)
        -> Ownership.Claim
    {
        Ownership.Claim(owner, evidence, process: programs.of(kind).first?.process)
    }

    // MARK: Addresses and routes

    private func network(
        _ interface: String, _ index: Int32, _ processesOfDhcpcd: [ProcessInFile]
    ) -> Ownership.Part {
        let claims =
            [
                networkManager(index), networkd(index), connman(interface), iwdWithAddresses(interface),
                dhcpcd(processesOfDhcpcd), ifupdown(interface),
            ].compactMap { $0 } + dhclients(interface) + udhcpcs(interface)
        return Ownership.Part(claims, isComplete: programs.isComplete)
    }

    /// The path of NetworkManager's file for the interface, if the file says that NetworkManager manages it;
    /// otherwise nil.
    private func networkManagerFile(_ index: Int32) -> String? {
        let path = "/run/NetworkManager/devices/\(index)"
        return SettingLines(file: root + path)?.isTrue("managed", in: "device") == true ? path : nil
    }

    private func networkManager(_ index: Int32) -> Ownership.Claim? {
        guard let liveness = programs.liveness(of: .networkManager), let path = networkManagerFile(index)
        else { return nil }
        return claim(.networkManager, .networkManager, "\(path) says managed=true, \(liveness)")
    }

    /// The states of a link that networkd manages (enum LinkState in systemd). In the other states the link
    /// waits for udev, or has no .network file.
    private static let networkdStates: Set<String> = ["configuring", "configured", "failed"]

    /// The path of networkd's file and the state in it; nil if networkd does not manage the link.
    private func networkdFile(_ index: Int32) -> (path: String, state: String)? {
        let path = "/run/systemd/netif/links/\(index)"
        guard let state = SettingLines(file: root + path)?.value("ADMIN_STATE"),
            Self.networkdStates.contains(state)
        else { return nil }
        return (path, state)
    }

    private func networkd(_ index: Int32) -> Ownership.Claim? {
        guard let liveness = programs.liveness(of: .networkd), let file = networkdFile(index) else {
            return nil
        }
        return claim(.networkd, .networkd, "\(file.path) says \(file.state), \(liveness)")
    }

    /// The managers whose files say that they manage the interface, but that do not run.
    private func absent(_ index: Int32) -> [Owner] {
        var absent: [Owner] = []
        if programs.liveness(of: .networkManager) == nil, networkManagerFile(index) != nil {
            absent.append(.networkManager)
        }
        if programs.liveness(of: .networkd) == nil, networkdFile(index) != nil { absent.append(.networkd) }
        return absent
    }

    private static let connmanFile = "/etc/connman/main.conf"
    /// The prefixes of names that ConnMan ignores by default (NetworkInterfaceBlacklist).
    private static let connmanIgnores = ["vmnet", "vboxnet", "virbr", "ifb", "ve-", "vb-"]

    private func connman(_ interface: String) -> Ownership.Claim? {
        guard let liveness = programs.liveness(of: .connman) else { return nil }
        let arguments = programs.of(.connman).first?.arguments ?? []
        guard CommandLine.allows(interface, "device", "nodevice", in: arguments) else { return nil }
        let named = CommandLine.values("c", "config", in: arguments).last
        let list = SettingLines(file: root + (named ?? Self.connmanFile))?
            .value("NetworkInterfaceBlacklist", in: "General")
        let ignored = list.map(Self.words) ?? Self.connmanIgnores
        return ignored.contains { interface.hasPrefix($0) } ? nil : claim(.connman, .connman, liveness)
    }

    private func iwdWithAddresses(_ interface: String) -> Ownership.Claim? {
        let path = "/etc/iwd/main.conf"
        guard let liveness = livenessOfIwd(for: interface), let file = SettingLines(file: root + path),
            file.isTrue("EnableNetworkConfiguration", in: "General")
                || file.isTrue("enable_network_config", in: "General")
        else { return nil }
        return claim(.iwd, .iwd, "\(path) says EnableNetworkConfiguration=true, \(liveness)")
    }

    private func ifupdown(_ interface: String) -> Ownership.Claim? {
        let path = "/run/network/ifstate"
        // The lines of the file have the form IFACE=LOGICAL.
        guard SettingLines(file: root + path)?.value(interface) != nil else { return nil }
        return Ownership.Claim(.ifupdown, "\(path) says that it is up")
    }

    // MARK: DHCP clients

    /// NetworkManager passes this program to the DHCP client that it starts. Such a client counts as part of
    /// NetworkManager.
    private static let helperOfNetworkManager = "nm-dhcp-helper"

    private func dhclients(_ interface: String) -> [Ownership.Claim] {
        // Two clients, one for each address family, do not conflict, so they count as one owner.
        programs.of(.dhclient).filter { program in
            let interfaces = CommandLine.interfacesOfDHClient(program.arguments)
            return !program.arguments.contains { $0.hasSuffix(Self.helperOfNetworkManager) }
                && (interfaces.isEmpty || interfaces.contains(interface))
        }.prefix(1).map { Ownership.Claim(.dhclient, "process \($0.process)", process: $0.process) }
    }

    private func udhcpcs(_ interface: String) -> [Ownership.Claim] {
        let usual = "eth0"
        return programs.of(.udhcpc).filter { program in
            let named = CommandLine.values("i", "interface", in: program.arguments)
            return (named.last ?? usual) == interface
        }.prefix(1).map { Ownership.Claim(.udhcpc, "process \($0.process)", process: $0.process) }
    }

    private func dhcpcd(_ processes: [ProcessInFile]) -> Ownership.Claim? {
        processes.first { programs.program($0.process)?.kind == .dhcpcd }.map {
            Ownership.Claim(.dhcpcd, "\($0.path), process \($0.process)", process: $0.process)
        }
    }

    /// A file with a process ID.
    private typealias ProcessInFile = (path: String, process: Int32)

    /// The PID files of dhcpcd that name a process: those for this interface, for one address family of it,
    /// and for all interfaces. The file for all is left out if dhcpcd's configuration excludes this interface.
    private func processesOfDhcpcd(_ interface: String) -> [ProcessInFile] {
        let ofAll = "/run/dhcpcd/pid"
        let paths = ["", "-4", "-6"].map { "/run/dhcpcd/\(interface)\($0).pid" } + [ofAll]
        return paths.compactMap { path in process(inFile: path).map { (path, $0) } }
            .filter { $0.path != ofAll || !isDenied(interface) }
    }

    /// The DHCP clients whose files with their process IDs are left, but that do not run. ifupdown chooses the names
    /// of the files of dhclient and udhcpc. A file that is left is not enough to call a client dead: a user may have
    /// ended the client.
    private func absentClients(_ interface: String, _ processesOfDhcpcd: [ProcessInFile]) -> [Owner] {
        let left: [(RunningPrograms.ProgramKind, Owner, [Int32])] = [
            (.dhclient, .dhclient, [process(inFile: "/run/dhclient.\(interface).pid")].compactMap(\.self)),
            (.dhcpcd, .dhcpcd, processesOfDhcpcd.map(\.process)),
            (.udhcpc, .udhcpc, [process(inFile: "/run/udhcpc.\(interface).pid")].compactMap(\.self)),
        ]
        return left.filter { kind, _, processes in
            !processes.isEmpty && processes.allSatisfy { isGone($0, kind) }
        }.map(\.1)
    }

    private func process(inFile path: String) -> Int32? {
        SmallFile.line(root + path).flatMap { Int32($0) }.flatMap { $0 > 0 ? $0 : nil }
    }

    /// Whether no program of this kind has this process ID. Where processes are hidden, that is certain only
    /// if no process at all has the ID.
    private func isGone(_ process: Int32, _ kind: RunningPrograms.ProgramKind) -> Bool {
        programs.isComplete
            ? programs.program(process)?.kind != kind : kill(process, 0) == -1 && errno == ESRCH
    }

    /// Whether dhcpcd.conf(5) excludes the interface.
    private func isDenied(_ interface: String) -> Bool {
        let largest = 1 << 18
        let bytes = (try? SmallFile.bytes("\(root)/etc/dhcpcd.conf", largest: largest)) ?? []
        var allowed: [String] = []
        for line in bytes.split(separator: UInt8(ascii: "\n")) {
            let words = Self.words(SettingLines.text(SettingLines.trimmed(line)))
            let patterns = words.dropFirst()
            if words.first == "denyinterfaces",
                patterns.contains(where: { CommandLine.matches($0, interface) })
            {
                return true
            }
            if words.first == "allowinterfaces" { allowed += patterns }
        }
        return !allowed.isEmpty && !allowed.contains { CommandLine.matches($0, interface) }
    }

    /// Splits a text at white space and commas.
    private static func words(_ text: String) -> [String] {
        text.utf8.split { $0 == 0x20 || $0 == 0x09 || $0 == UInt8(ascii: ",") }.map { String($0) ?? "" }
    }

    // MARK: Association

    private func station(_ interface: String, _ network: [Ownership.Claim]) -> Ownership.Part {
        let (supplicants, isSeen) = supplicants(interface)
        var claims = supplicants
        if let liveness = livenessOfIwd(for: interface) { claims.append(claim(.iwd, .iwd, liveness)) }
        let isManaged = network.contains(where: \.owner.managesAssociation)
        if claims.isEmpty, isManaged, let liveness = programs.liveness(of: .supplicant) {
            claims = [Ownership.Claim(.supplicant, "\(liveness), by D-Bus", process: sharedSupplicant)]
        }
        return Ownership.Part(claims, isComplete: programs.isComplete && isSeen)
    }

    /// - Returns: the claims, and whether the control socket could be checked.
    private func supplicants(_ interface: String) -> ([Ownership.Claim], Bool) {
        let processes = programs.of(.supplicant).filter {
            CommandLine.values("i", nil, in: $0.arguments).contains(interface)
        }
        if !processes.isEmpty {
            return (
                processes.map {
                    Ownership.Claim(.supplicant, "process \($0.process) -i \(interface)", process: $0.process)
                }, true
            )
        }
        // A socket on which a process listens means that the process runs, even if /proc hides it.
        do throws(ControlSocket.Problem) {
            close(try ControlSocket.connect(to: interface, in: root + ControlSocket.supplicantDirectory))
            let evidence = "\(ControlSocket.supplicantDirectory)/\(interface) listens"
            let process = SupplicantProcessFile.process(for: interface, root: root) ?? sharedSupplicant
            return ([Ownership.Claim(.supplicant, evidence, process: process)], true)
        } catch {
            switch error {
            case .none, .untrusted: return ([], true)
            case .refused: return ([], false)
            }
        }
    }

    /// The process of the wpa_supplicant that was started without interfaces, and gets them by D-Bus or wpa_cli(8).
    private var sharedSupplicant: Int32? {
        programs.of(.supplicant).first { CommandLine.values("i", nil, in: $0.arguments).isEmpty }?.process
    }

    private func livenessOfIwd(for interface: String) -> String? {
        guard let liveness = programs.liveness(of: .iwd) else { return nil }
        let arguments = programs.of(.iwd).first?.arguments ?? []
        return CommandLine.allows(interface, "interfaces", "nointerfaces", in: arguments) ? liveness : nil
    }
}
