import Model
import Reporting
import Testing
import Toggling

@Suite("Conflicts between settings and owners")
struct ConfigConflictTests {
    private func ownership(station: [Owner] = [.supplicant], network: [Owner]) -> Ownership {
        Ownership(
            station: Ownership.Part(station.map { Ownership.Claim($0, "seen") }),
            network: Ownership.Part(network.map { Ownership.Claim($0, "seen") }))
    }

    @Test("the owner is not queried if no owner could conflict with the settings")
    func possible() {
        var settings = Settings()
        #expect(!ConfigConflict.isPossible(under: settings))
        settings.delay = .seconds(6)
        #expect(ConfigConflict.isPossible(under: settings))
        settings = Settings()
        settings.settle = .seconds(5)
        #expect(ConfigConflict.isPossible(under: settings))
        settings.settle = .zero
        #expect(!ConfigConflict.isPossible(under: settings))
        settings.methods = [.reassociate, .bounce]
        #expect(ConfigConflict.isPossible(under: settings))
    }

    private func configConflicts(_ ownership: Ownership, _ change: (inout Settings) -> Void = { _ in })
        -> [ConfigConflict]
    {
        var settings = Settings()
        change(&settings)
        return ownership.configConflicts(under: settings)
    }

    @Test("the default settings conflict with no owner", arguments: Owner.allCases)
    func defaults(owner: Owner) {
        #expect(configConflicts(ownership(network: [owner])) == [])
        #expect(configConflicts(Ownership()) == [])
    }

    @Test("a down time of more than 5 s is reported beside NetworkManager only", arguments: Owner.allCases)
    func hold(owner: Owner) {
        let longest: Duration = .seconds(5)
        #expect(configConflicts(ownership(network: [owner])) { $0.delay = longest } == [])
        let delay = longest + .milliseconds(1)
        let expected: [ConfigConflict] =
            owner == .networkManager ? [.delayTooLong(owner, delay: delay, longest: longest)] : []
        #expect(configConflicts(ownership(network: [owner])) { $0.delay = delay } == expected)
        #expect(
            configConflicts(ownership(network: [owner])) { ($0.delay, $0.methods) = (delay, [.rfkill]) } == []
        )
    }

    @Test("a settle time shorter than the owner's recovery is reported, a settle time of 0 is not")
    func settle() {
        let recovery: Duration = .milliseconds(9900)
        let dhcpcd = ownership(network: [.dhcpcd])
        #expect(configConflicts(dhcpcd) { $0.settle = recovery } == [])
        #expect(
            configConflicts(dhcpcd) { $0.settle = .seconds(8) }
                == [.settleTooShort(.dhcpcd, settle: .seconds(8), recovery: recovery)])
        #expect(configConflicts(dhcpcd) { $0.settle = .zero } == [])
        #expect(
            configConflicts(ownership(network: [.udhcpc])) { $0.settle = .milliseconds(1) } == [],
            "never seen")
    }

    @Test("reassociate without wpa_supplicant is reported")
    func reassociate() {
        let iwd = ownership(station: [.iwd], network: [.networkd])
        #expect(configConflicts(iwd) { $0.methods = [.reassociate, .bounce] } == [.cannotReassociate(.iwd)])
        #expect(configConflicts(iwd) { $0.methods = [.bounce] } == [])
        #expect(configConflicts(ownership(network: [.networkd])) { $0.methods = [.reassociate] } == [])
    }

    @Test("two owners of the same part are reported, ifupdown with its DHCP client is not")
    func disputes() {
        #expect(
            configConflicts(ownership(network: [.networkManager, .networkd]))
                == [.disputed([.networkManager, .networkd])])
        #expect(
            configConflicts(ownership(station: [.supplicant, .supplicant], network: [])) == [
                .disputed([.supplicant])
            ])
        #expect(configConflicts(ownership(network: [.ifupdown, .dhclient])) == [])
        #expect(
            configConflicts(ownership(network: [.ifupdown, .dhclient, .dhcpcd]))
                == [.disputed([.ifupdown, .dhclient, .dhcpcd])])
        #expect(
            configConflicts(ownership(network: [.ifupdown, .networkd])) == [
                .disputed([.ifupdown, .networkd])
            ])
    }
}
