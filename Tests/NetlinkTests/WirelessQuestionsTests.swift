import CNetlink
import Dispatch
import Glibc
import Model
import TestSupport
import Testing

@testable import Netlink

private let wlan = InterfaceIndex(rawValue: 3)

/// A driver's answers to commands of nl80211; nil: EOPNOTSUPP.
private struct Driver: Sendable {
    var interface = Samples.wirelessInterface
    var stations: [[UInt8]]? = [Samples.station]
    var scan: [[UInt8]]? = [Samples.scan]
    var powerSave: [[UInt8]]? = [Samples.powerSave]
    var setsPowerSave = true
    var country: [[UInt8]]? = [Driver.domain("CH")]

    static func domain(_ name: String) -> [UInt8] {
        [
            0x1f, 0x01, 0x00, 0x00,  // NL80211_CMD_GET_REG, version
            UInt8(5 + name.utf8.count), 0x00, 0x21, 0x00,  // nla_len, NL80211_ATTR_REG_ALPHA2
        ] + Array(name.utf8) + [UInt8](repeating: 0, count: 4 - name.utf8.count % 4)
    }

    /// A driver whose station found no network and is not connected: no SSID, no frequency.
    static func idle(_ scan: [[UInt8]]?) -> Driver {
        Driver(interface: Array(Samples.wirelessInterface[..<28]), stations: [], scan: scan)
    }

    /// The commands that were sent, by number.
    static func commands(_ kernel: ScriptedKernel) -> [UInt8] { kernel.requests.map { $0[16] } }

    func kernel() -> ScriptedKernel {
        ScriptedKernel { request, _ in
            let answers: [[UInt8]]? =
                switch request.payload.first {
                case 0x03: [Samples.family]  // CTRL_CMD_GETFAMILY
                case 0x05: [interface]  // NL80211_CMD_GET_INTERFACE
                case 0x11: stations  // NL80211_CMD_GET_STATION
                case 0x20: scan  // NL80211_CMD_GET_SCAN
                case 0x1f: country  // NL80211_CMD_GET_REG
                case 0x3e: powerSave  // NL80211_CMD_GET_POWER_SAVE
                case 0x3d: setsPowerSave ? [] : nil  // NL80211_CMD_SET_POWER_SAVE
                default: nil
                }
            guard let answers else { return [.success(request.acknowledgement(EOPNOTSUPP))] }
            let messages = answers.map { answer in
                Result<[UInt8], Failure>.success(
                    Samples.message(type: request.type, sequence: request.sequence, answer))
            }
            return messages + [.success(request.acknowledgement())]
        }
    }

    /// A whole kernel state, as the program requests it.
    @MainActor func kernelState(asksForPowerSave: Bool) async throws -> (
        kernelState: KernelState, commands: [UInt8]
    ) {
        let generic = kernel()
        let route = ScriptedKernel { request, _ in
            guard Int32(request.type) == Int32(RTM_GETLINK) else { return [.success(request.done())] }
            return [
                .success(Samples.message(type: RTM_NEWLINK, sequence: request.sequence, Samples.link)),
                .success(request.acknowledgement()),
            ]
        }
        let commands = NetlinkCommands(
            .callingThread, route: route.transport, generic: generic.transport, requestTimeout: .seconds(60))
        let result = try await outcome {
            commands.kernelState(wlan, asksForPowerSave: asksForPowerSave, radio: { _ in .none }, $0)
        }
        return (try result.get(), Self.commands(generic))
    }

    /// The result of switching power saving off, and the commands that were sent for this. The family number
    /// of nl80211 is already cached.
    @MainActor func powerSaveOff(isDryRun: Bool = false) async throws -> (Result<Bool, Failure>, [UInt8]) {
        let generic = kernel()
        let route = ScriptedKernel { request, _ in [.success(request.done())] }
        let commands = NetlinkCommands(
            .callingThread, route: route.transport, generic: generic.transport, requestTimeout: .seconds(60))
        _ = try await outcome { commands.wirelessInterfaces($0) }
        let known = Self.commands(generic).count
        let result = try await outcome { commands.switchPowerSaveOff(on: wlan, isDryRun: isDryRun, $0) }
        return (result, Array(Self.commands(generic).dropFirst(known)))
    }

    func wireless() throws -> (Wireless?, commands: [UInt8]) {
        let kernel = kernel()
        var conversation = Conversation(
            route: kernel.transport, generic: kernel.transport, sequence: 0, deadline: .now() + .seconds(60))
        return (try conversation.wireless(wlan), Self.commands(kernel))
    }

    func countryName() throws -> String? {
        let kernel = kernel()
        var conversation = Conversation(
            route: kernel.transport, generic: kernel.transport, sequence: 0, deadline: .now() + .seconds(60))
        return try conversation.country()
    }

    func heard() throws -> (networks: [HeardNetwork], commands: [UInt8]) {
        let kernel = kernel()
        var conversation = Conversation(
            route: kernel.transport, generic: kernel.transport, sequence: 0, deadline: .now() + .seconds(60))
        let wireless = try #require(try conversation.wireless(wlan))
        return (try conversation.heardNetworks(by: wireless, wlan), Self.commands(kernel))
    }
}

@Suite("Queries to nl80211")
struct WirelessQuestionsTests {
    @Test("an associated station is found without a dump of the scan results")
    func associated() throws {
        let (wireless, commands) = try Driver().wireless()
        #expect(wireless?.role == .station)
        #expect(wireless?.phy == 1)
        #expect(wireless?.association?.bssid == MACAddress([2, 0, 0, 0, 0, 0]))
        #expect(wireless?.association?.ssid?.description == "lab")
        #expect(wireless?.association?.frequency == 2412)
        #expect(wireless?.association?.station.signal == -42)
        #expect(commands == [0x03, 0x05, 0x11])
    }

    @MainActor
    @Test("power saving is queried only if wanted, and a driver that does not answer is no error")
    func powerSave() async throws {
        let plain = try await Driver().kernelState(asksForPowerSave: false)
        #expect(plain.kernelState.savesPower == nil && !plain.commands.contains(0x3e))
        let wanted = try await Driver().kernelState(asksForPowerSave: true)
        #expect(wanted.kernelState.savesPower == true)
        #expect(wanted.commands == plain.commands + [0x3e])
        var off = Samples.powerSave
        off[8] = 0
        #expect(
            try await Driver(powerSave: [off]).kernelState(asksForPowerSave: true).kernelState.savesPower
                == false)
        #expect(
            try await Driver(powerSave: nil).kernelState(asksForPowerSave: true).kernelState.savesPower == nil
        )
        var accessPoint = Driver()
        accessPoint.interface = Samples.wirelessInterface
        accessPoint.interface[24] = 3  // NL80211_IFTYPE_AP
        #expect(try await !accessPoint.kernelState(asksForPowerSave: true).commands.contains(0x3e))
    }

    @MainActor
    @Test("power saving is switched off if it is on, and only read in a dry run or if it is off")
    func powerSaveOff() async throws {
        let (on, commands) = try await Driver().powerSaveOff()
        #expect(try on.get() && commands == [0x3e, 0x3d])
        let (dry, dryCommands) = try await Driver().powerSaveOff(isDryRun: true)
        #expect(try dry.get() && dryCommands == [0x3e])
        var bytes = Samples.powerSave
        bytes[8] = 0
        let (off, offCommands) = try await Driver(powerSave: [bytes]).powerSaveOff()
        #expect(try !off.get() && offCommands == [0x3e])
        for driver in [Driver(powerSave: nil), Driver(setsPowerSave: false)] {
            let (refused, _) = try await driver.powerSaveOff()
            let failure = #expect(throws: Failure.self) { try refused.get() }
            #expect(failure?.code == EOPNOTSUPP)
        }
    }

    @Test("the regulatory domain is two letters or digits, or unknown")
    func country() throws {
        #expect(try Driver().countryName() == "CH")
        #expect(try Driver(country: [Driver.domain("00")]).countryName() == "00")
        for name in ["", "C", "CHE", "ch", "C\n", "\u{e9}"] {
            #expect(try Driver(country: [Driver.domain(name)]).countryName() == nil, "\(name)")
        }
        #expect(try Driver(country: [Samples.powerSave]).countryName() == nil, "another answer")
        #expect(try Driver(country: nil).countryName() == nil)
    }

    @Test("if a driver lists no stations, the associated BSS is queried")
    func withoutStations() throws {
        let (wireless, commands) = try Driver(stations: nil).wireless()
        #expect(wireless?.association?.bssid == MACAddress([2, 0, 0, 0, 0, 0]))
        #expect(wireless?.association?.station == StationInformation())
        #expect(commands == [0x03, 0x05, 0x11, 0x20])
    }

    @Test("an interface without SSID and frequency gets them from the BSS")
    func withoutName() throws {
        let (wireless, _) = try Driver(interface: Array(Samples.wirelessInterface[..<28])).wireless()
        #expect(wireless?.association?.ssid?.description == "lab")
        #expect(wireless?.association?.frequency == 2412)
    }

    @Test("of several links (MLO), the one on the lowest frequency gives the BSSID, not the MLD address")
    func multiLink() throws {
        let interface = Array(Samples.wirelessInterface[..<36])  // no frequency: each link has its own
        var (station, high) = (Samples.station, Samples.scan)
        station[21] = 0x77  // NL80211_ATTR_MAC, the MLD address
        high[25] = 0x01  // NL80211_BSS_BSSID
        high.replaceSubrange(32..<34, with: [0x57, 0x17])  // NL80211_BSS_FREQUENCY: 5975 MHz
        for scan in [[Samples.scan, high], [high, Samples.scan]] {
            let (wireless, _) = try Driver(interface: interface, stations: [station], scan: scan).wireless()
            #expect(wireless?.association?.bssid == MACAddress([2, 0, 0, 0, 0, 0]))
            #expect(wireless?.association?.frequency == 2412)
            #expect(wireless?.association?.station.signal == -42)
        }
    }

    @Test("a station that is only authenticated is not associated")
    func authenticated() throws {
        var station = Samples.station
        station[station.count - 4] = 0x20  // set: AUTHENTICATED
        let (wireless, commands) = try Driver(stations: [station]).wireless()
        #expect(wireless != nil)
        #expect(wireless?.association == nil)
        #expect(commands == [0x03, 0x05, 0x11])
    }

    /// A station that is marked as a TDLS peer, as brcmfmac marks the access point.
    private func peer(_ lastByte: UInt8 = 0) -> [UInt8] {
        var station = Samples.station
        station[21] = lastByte  // NL80211_ATTR_MAC
        station[station.count - 8] = 0xfe  // mask
        station[station.count - 4] = 0xee  // set: TDLS_PEER, too
        return station
    }

    @Test("a single station is the access point, even if the driver marks it as a TDLS peer")
    func markedAccessPoint() throws {
        let (wireless, commands) = try Driver(stations: [peer()]).wireless()
        #expect(wireless?.association?.bssid == MACAddress([2, 0, 0, 0, 0, 0]))
        #expect(wireless?.association?.station.signal == -42)
        #expect(commands == [0x03, 0x05, 0x11])
    }

    @Test("of several stations the access point is the one without the mark, or else the associated BSS")
    func peers() throws {
        for stations in [[Samples.station, peer(9)], [peer(9), Samples.station]] {
            let (wireless, commands) = try Driver(stations: stations).wireless()
            #expect(wireless?.association?.bssid == MACAddress([2, 0, 0, 0, 0, 0]))
            #expect(commands == [0x03, 0x05, 0x11])
        }
        for stations in [[peer(), peer(9)], [peer(9), peer()]] {
            let (wireless, commands) = try Driver(stations: stations).wireless()
            #expect(wireless?.association?.bssid == MACAddress([2, 0, 0, 0, 0, 0]))
            #expect(wireless?.association?.station.signal == -42)
            #expect(commands == [0x03, 0x05, 0x11, 0x20])
        }
    }

    @Test("an entry with the address zero is no access point")
    func phantom() throws {
        var phantom = Array(Samples.station[..<24])  // without flags
        for index in 16..<22 { phantom[index] = 0 }  // NL80211_ATTR_MAC
        let driver = Driver(
            interface: Array(Samples.wirelessInterface[..<28]), stations: [phantom], scan: [])
        #expect(try driver.wireless().0?.association == nil)
    }

    @Test("no BSS is queried for a station without a network and without a connection")
    func idle() throws {
        let interface = Array(Samples.wirelessInterface[..<28])  // no SSID, no frequency
        let (wireless, commands) = try Driver(interface: interface, stations: []).wireless()
        #expect(wireless != nil)
        #expect(wireless?.association == nil)
        #expect(commands == [0x03, 0x05, 0x11])
    }

    @Test("a station without an association reports the networks it heard, and how long ago")
    func heard() throws {
        let other = Samples.scan.map { $0 == 0x6c ? 0 : $0 }  // another name, another frequency
        let (networks, _) = try Driver.idle([Samples.scan, other]).heard()
        #expect(networks.map(\.ssid) == [SSID("lab".utf8), SSID([0, 0x61, 0x62])])
        #expect(networks.allSatisfy { $0.ago == .milliseconds(1500) })
    }

    @Test("the heard networks are not queried for an associated station or an access point")
    func notAskedWhatIsHeard() throws {
        #expect(try Driver().heard().commands == [0x03, 0x05, 0x11])
        var interface = Samples.wirelessInterface
        interface[24] = 3  // NL80211_IFTYPE_AP
        #expect(try Driver(interface: interface).heard().commands == [0x03, 0x05])
    }

    @Test("if one BSS entry is unreadable or has no age, no network counts as heard")
    func heardInPart() throws {
        var ageless = Samples.scan
        ageless[50] = 0x63  // NL80211_BSS_SEEN_MS_AGO becomes something else
        var broken = Samples.scan
        broken[18] = 0x63  // NL80211_BSS_BSSID becomes something else
        for entry in [ageless, broken] {
            #expect(try Driver.idle([Samples.scan, entry]).heard().networks.isEmpty)
        }
        #expect(try Driver.idle([Samples.scan]).heard().networks.count == 1)
        #expect(try Driver.idle(nil).heard().networks.isEmpty)
    }

    @Test("the stations of an access point are not an association")
    func accessPoint() throws {
        var interface = Samples.wirelessInterface
        interface[24] = 3  // NL80211_IFTYPE_AP
        let (wireless, commands) = try Driver(interface: interface).wireless()
        #expect(wireless?.role == .accessPoint)
        #expect(wireless?.association == nil)
        #expect(commands == [0x03, 0x05])
    }

    @Test("the family number of nl80211 is cached, and queried anew once the kernel no longer knows it")
    func reloadedModule() throws {
        let kernel = ScriptedKernel { request, _ in
            var family = Samples.family
            family[20] = 29  // CTRL_ATTR_FAMILY_ID
            let answer: [UInt8]? =
                switch Int(request.type) {
                case Int(GENL_ID_CTRL): family
                case 29: Samples.wirelessInterface
                default: nil
                }
            guard let answer else { return [.success(request.acknowledgement(ENOENT))] }
            let message = Samples.message(type: request.type, sequence: request.sequence, answer)
            return [.success(message), .success(request.acknowledgement())]
        }
        let number = FamilyNumber()
        number.value = 28
        var conversation = Conversation(
            route: kernel.transport, generic: kernel.transport, wirelessFamily: number, sequence: 0,
            deadline: .now() + .seconds(60))
        #expect(try conversation.wireless(wlan) != nil)
        #expect(number.value == 29)
        #expect(Driver.commands(kernel).prefix(3) == [0x05, 0x03, 0x05])
        let before = kernel.requests.count
        #expect(try conversation.wireless(wlan) != nil)
        #expect(Driver.commands(kernel)[before] == 0x05)
    }

    @Test("a kernel without nl80211 has no Wi-Fi, and that is no failure")
    func withoutFamily() throws {
        let kernel = ScriptedKernel { request, _ in [.success(request.done())] }
        var conversation = Conversation(
            route: kernel.transport, generic: kernel.transport, sequence: 0, deadline: .now() + .seconds(60))
        #expect(try conversation.wireless(wlan) == nil)
        #expect(try conversation.wirelessInterfaces().isEmpty)
    }

    @Test(
        "without nl80211, a one-shot run queries the family only once, a service each time",
        arguments: [true, false])
    func absence(isRemembered: Bool) throws {
        let kernel = ScriptedKernel { request, _ in [.success(request.done())] }
        var conversation = Conversation(
            route: kernel.transport, generic: kernel.transport,
            wirelessFamily: FamilyNumber(remembersAbsence: isRemembered), sequence: 0,
            deadline: .now() + .seconds(60))
        for _ in 1...3 { #expect(try conversation.wireless(wlan) == nil) }
        #expect(kernel.requests.count == (isRemembered ? 1 : 3))
    }
}
