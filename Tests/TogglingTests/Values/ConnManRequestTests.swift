import Model
import Testing

/// The answers are those of ConnMan 1.41, as busctl(1) of systemd 252 prints them.
@Suite("What ConnMan is asked") struct ConnManRequestTests {
    private static let path = "/net/connman/service/wifi_020000000100_6c6162_managed_psk"
    private static let other = "/net/connman/service/wifi_020000000100_78_managed_psk"

    /// A network in ConnMan's list. With `error` nil, the property is missing.
    private static func service(
        _ path: String = path, type: String = "wifi", state: String = "idle", error: String? = "invalid-key",
        isFavorite: Bool = true, isAutomatic: Bool = true, name: String = "lab", interface: String = "wlan0"
    ) -> String {
        let properties =
            [
                #""Type" s "\#(type)""#, #""Security" as 1 "psk""#, #""State" s "\#(state)""#,
                error.map { #""Error" s "\#($0)""# }, #""Strength" y 90"#, #""Favorite" b \#(isFavorite)"#,
                #""Immutable" b false"#, #""AutoConnect" b \#(isAutomatic)"#, #""Name" s "\#(name)""#,
                #""Ethernet" a{sv} 3 "Method" s "auto" "Interface" s "\#(interface)" "MTU" q 1500"#,
                #""IPv4" a{sv} 0"#, #""Nameservers" as 0"#, #""Provider" a{sv} 0"#,
            ].compactMap { $0 }
        return #""\#(path)" \#(properties.count) \#(properties.joined(separator: " "))"#
    }

    private static func answer(_ services: String...) -> [UInt8] {
        Array("a(oa{sv}) \(services.count) \(services.joined(separator: " "))\n".utf8)
    }

    private func isAsked(_ answer: [UInt8]) -> Bool {
        let request = OwnerRequest.errorClearance
        let condition = request.condition(from: answer, on: "wlan0")
        let step = try? request.step(for: "wlan0", after: [answer])
        #expect((condition == OwnerCondition(.connman, .gaveUp)) == (step != nil))
        return step != nil
    }

    private func order(_ path: String) -> OwnerRequest.Step {
        .order([
            "--system", "--auto-start=no", "call", "net.connman", path, "net.connman.Service",
            "ClearProperty",
            "s", "Error",
        ])
    }

    @Test("ConnMan's networks are queried, and the error of the network that it has given up is cleared")
    func givenUp() throws {
        let request = OwnerRequest.errorClearance
        let words = [
            "--system", "--auto-start=no", "call", "net.connman", "/", "net.connman.Manager", "GetServices",
        ]
        #expect(request.program == "busctl" && request.conditionQuery(on: "wlan0") == words)
        #expect(try request.step(for: "wlan0", after: []) == .query(words))
        #expect(isAsked(Self.answer(Self.service())))
        #expect(try request.step(for: "wlan0", after: [Self.answer(Self.service())]) == order(Self.path))
        let both = Self.answer(Self.service(Self.other, error: nil), Self.service(state: "failure"))
        #expect(try request.step(for: "wlan0", after: [both]) == order(Self.path))
    }

    @Test("ConnMan gets no request while it is connected or connecting, or if no user wants the network")
    func atWork() {
        for state in ["association", "configuration", "ready", "online", "disconnect", "", "x"] {
            #expect(!isAsked(Self.answer(Self.service(state: state))), "\(state)")
            let both = Self.answer(Self.service(), Self.service(Self.other, state: state, error: nil))
            #expect(!isAsked(both), "\(state)")
        }
        #expect(!isAsked(Self.answer()))
        #expect(!isAsked(Self.answer(Self.service(error: nil))), "a user has disconnected it, perhaps")
        #expect(!isAsked(Self.answer(Self.service(error: ""))))
        #expect(!isAsked(Self.answer(Self.service(isFavorite: false))))
        #expect(!isAsked(Self.answer(Self.service(isAutomatic: false))))
    }

    @Test("networks of other interfaces and of other types are ignored")
    func others() {
        #expect(!isAsked(Self.answer(Self.service(interface: "wlan1"))))
        #expect(!isAsked(Self.answer(Self.service(type: "ethernet"))))
        let wired = Self.service(Self.other, type: "ethernet", state: "online")
        #expect(isAsked(Self.answer(wired, Self.service())))
        #expect(isAsked(Self.answer(Self.service(state: "ready", interface: "wlan1"), Self.service())))
    }

    @Test(
        "a network's name cannot change what is read, and a malformed path gets no request",
        arguments: [
            #"x\" \"Error\" s \"invalid-key\" \"Favorite\" b true"#, #"\\"#, #"\n"#, "/net/connman/service/x",
            "a b",
        ])
    func hostile(name: String) {
        #expect(!isAsked(Self.answer(Self.service(error: nil, isFavorite: false, name: name))))
        #expect(isAsked(Self.answer(Self.service(name: name))))
        #expect(!isAsked(Self.answer(Self.service("/net/connman/service/\(name)"))))
        #expect(!isAsked(Self.answer(Self.service("--\(name)"))))
    }

    @Test("a malformed answer causes no request")
    func malformed() {
        let whole = String(decoding: Self.answer(Self.service()).dropLast(), as: UTF8.self)
        #expect(isAsked(Array(whole.utf8)))
        for length in 0..<whole.utf8.count {
            #expect(!isAsked(Array(whole.utf8.prefix(length))), "\(length)")
        }
        for (part, other) in [
            ("a(oa{sv}) 1", "a(oa{sv}) 2"), ("a(oa{sv}) 1", "a(oa{sv}) -1"),
            ("a(oa{sv}) 1", "a(oa{sv}) 99999999999999"),
            ("a(oa{sv})", "a(sa{sv})"), ("b true", "b maybe"), ("as 1", "as 2"), ("as 1", "as 9999999"),
            ("y 90", "v 90"), ("\"Error\"", "\"State\""), ("s \"idle\"", "s idle"),
            ("s \"idle\"", "s \"idle"),
        ] {
            #expect(!isAsked(Array(whole.replacing(part, with: other).utf8)), "\(other)")
        }
        let deep = String(repeating: #"a{sv} 1 "x" "#, count: 100) + "b true"
        #expect(!isAsked(Array(whole.replacing("y 90", with: deep).utf8)))
        #expect(!isAsked(Array(whole.utf8) + [0x20, 0xff]) && !isAsked(Array((whole + " \"x\"").utf8)))
    }

    @Test("if ConnMan has given up no network, there is no request, and the failure says `unavailable`")
    func nothing() {
        let failure = #expect(throws: Failure.self) {
            try OwnerRequest.errorClearance.step(for: "wlan0", after: [Self.answer()])
        }
        #expect(failure?.kind == .unavailable)
    }
}
