import Model

@testable import Platform
@testable import Recovery

/// Answers of owners and of systemd, as if they were hostile: the output of their command-line programs, and
/// datagrams of wpa_supplicant. The first byte chooses the reader.
enum OwnerAnswers {
    private static let readers: [@MainActor ([UInt8]) -> Void] = [
        takeProfiles, takeUnits, takeReply, takeComplaint, takeLinks, takeServiceStates, takeInhibitors,
        takePermission, takeNetworks, takeDevices,
    ]

    @MainActor static func take(_ bytes: [UInt8]) {
        guard let choice = bytes.first else { return }
        readers[Int(choice) % readers.count](Array(bytes.dropFirst()))
    }

    private static let interface = "wlan0"

    /// nmcli's answers to the queries, with a zero byte between them.
    private static func takeProfiles(_ bytes: [UInt8]) {
        let answers = bytes.split(separator: 0, maxSplits: 2, omittingEmptySubsequences: false).map {
            Array($0)
        }
        let request = OwnerRequest.activation
        let condition = request.condition(from: answers[0], on: interface)
        do throws(Failure) {
            let step = try request.step(for: interface, after: answers)
            demand(condition?.kind != .toldToDisconnect, "an order against a user's will")
            switch step {
            // The only further query is for the profiles; its result is the second answer.
            case .query(let arguments):
                demand(answers.count == 1 && condition?.kind == .gaveUp, "another query: \(arguments)")
            case .order(let arguments): check(arguments, profileIn: answers)
            }
        } catch {
            demandPrintable(Output.escaped(error.description))
        }
    }

    /// The profile is the only argument of the command that comes from an answer.
    private static func check(_ arguments: [String], profileIn answers: [[UInt8]]) {
        let words = ["--wait", "30", "connection", "up", "uuid", "", "ifname", interface]
        demand(arguments.count == words.count, "\(arguments)")
        for (argument, word) in zip(arguments, words) where !word.isEmpty {
            demand(argument == word, "\(arguments)")
        }
        let profile = arguments[5].utf8
        demand((1...36).contains(profile.count) && profile.first != UInt8(ascii: "-"), "\(arguments)")
        demand(
            profile.allSatisfy { UInt8(ascii: "0")...UInt8(ascii: "f") ~= $0 || $0 == UInt8(ascii: "-") },
            "no profile")
        let places = answers[0].indices.filter { answers[0][$0...].starts(with: profile) }
        demand(!places.isEmpty, "a profile that NetworkManager has not named")
    }

    /// ConnMan's networks. The path of a network is the only argument of the command that comes from the
    /// answer.
    private static func takeNetworks(_ bytes: [UInt8]) {
        let request = OwnerRequest.errorClearance
        let condition = request.condition(from: bytes, on: interface)
        guard case .order(let words)? = try? request.step(for: interface, after: [bytes]) else {
            return demand(condition == nil, "no request to an owner that has given up")
        }
        demand(condition == OwnerCondition(.connman, .gaveUp), "a request to an owner that is at work")
        let prefix = "/net/connman/service/"
        demand(words.count == 9 && words[4].hasPrefix(prefix), "\(words)")
        demand(
            words[4].utf8.dropFirst(prefix.utf8.count).allSatisfy {
                UInt8(ascii: "0")...UInt8(ascii: "z") ~= $0
            }, "no path")
        let text = String(decoding: bytes, as: UTF8.self)
        demand(text.contains("\"\(words[4])\""), "a path that was not named")
    }

    /// iwd's list of objects.
    private static func takeDevices(_ bytes: [UInt8]) {
        guard IwdDevices.areLost(bytes) else { return }
        let text = String(decoding: bytes, as: UTF8.self)
        demand(text.contains("\"net.connman.iwd.AgentManager\""), "an answer that is not iwd's")
    }

    /// networkctl's list of interfaces.
    private static func takeLinks(_ bytes: [UInt8]) {
        guard let condition = OwnerRequest.reconfiguration.condition(from: bytes, on: interface) else {
            return
        }
        demand(condition == OwnerCondition(.networkd, .gaveUp), "\(condition)")
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
        demand(lines.contains { $0.hasSuffix("failed") || $0.hasSuffix(" ") }, "nothing has failed")
        demand(lines.contains { $0.contains(interface) }, "an interface that was not named")
    }

    /// systemctl's answer about the units of one owner.
    @MainActor private static func takeUnits(_ bytes: [UInt8]) {
        let units = Owner.allCases.flatMap { $0.units(for: interface) }
        let states = ServiceUnits.states(from: bytes, of: units)
        demand(states.keys.allSatisfy(units.contains), "a unit that nobody has asked for")
        for (unit, state) in states {
            let whole = String(decoding: bytes, as: UTF8.self).utf8
            for line in ["Id=\(unit)", "ActiveState=\(state.rawValue)"] {
                demand(
                    whole.split(separator: UInt8(ascii: "\n")).contains { $0.elementsEqual(line.utf8) },
                    "\(line) is not in the answer")
            }
        }
    }

    /// What a service manager answers about its services. Two bytes choose the manager and the exit status.
    @MainActor private static func takeServiceStates(_ bytes: [UInt8]) {
        guard bytes.count >= 2 else { return }
        let managers = ServiceManager.allCases
        let manager = managers[Int(bytes[0]) % managers.count]
        let status = Int32(bytes[1])
        // If a query has failed, its output is dropped (``OwnerCommand``).
        let answer = status == 0 ? Array(bytes.dropFirst(2)) : []
        let services = Owner.allCases.flatMap { manager.services(of: $0, for: interface) }
        for query in manager.queries(of: services) {
            let states = manager.states(of: query.services, from: answer, status: status)
            demand(states.keys.allSatisfy(query.services.contains), "a service that nobody has asked for")
            for (service, state) in states {
                demand(
                    isSaid(state, of: service, by: manager, answer, status),
                    "\(manager.rawValue) has not said that \(service) is \(state.rawValue)")
            }
        }
    }

    /// Whether the answer has the manager's own word or exit status for this state.
    private static func isSaid(
        _ state: ServiceUnits.State, of service: String, by manager: ServiceManager, _ answer: [UInt8],
        _ status: Int32
    ) -> Bool {
        let lines = String(decoding: answer, as: UTF8.self).utf8.split(separator: UInt8(ascii: "\n"))
        let hasLine = { (text: String) in lines.contains { $0.elementsEqual(text.utf8) } }
        let begins = { (text: String) in answer.starts(with: text.utf8) }
        return switch (manager, state) {
        case (.systemd, _):
            status == 0 && hasLine("Id=\(service)") && hasLine("ActiveState=\(state.rawValue)")
        case (.openRC, .active): status == 0
        case (.openRC, .failed): status == 32
        case (.procd, .active): status == 0 && begins("running")
        case (.procd, .failed): status == 5
        case (.runit, .active): status == 0 && begins("run: ")
        // A service that a user has stopped (`want down`) has not failed.
        case (.runit, .failed):
            status == 0 && begins("down: ")
                && lines.first.map { $0.reversed().starts(with: ", want up".utf8.reversed()) } ?? false
        }
    }

    /// What busctl prints about logind's inhibitors: only the whole word `shutdown` prevents a reboot.
    @MainActor private static func takeInhibitors(_ bytes: [UInt8]) {
        let word = Array("shutdown".utf8)
        let limits = Set("\": \n".utf8)
        let stands = bytes.indices.contains { begin in
            let end = begin + word.count
            return bytes[begin...].starts(with: word) && (begin == 0 || limits.contains(bytes[begin - 1]))
                && (end == bytes.count || limits.contains(bytes[end]))
        }
        demand(MachineReboot.inhibits(bytes) == stands, stands ? "an inhibitor is missed" : "there is none")
        // The word counts whatever other words are before or after it.
        for answer in [Array("s \"shutdown:".utf8) + bytes, bytes + Array(":shutdown\"\n".utf8)] {
            demand(MachineReboot.inhibits(answer), "an inhibitor among others is missed")
        }
    }

    /// What busctl prints of polkit's answer.
    @MainActor private static func takePermission(_ bytes: [UInt8]) {
        let type = Array("(bba{ss})".utf8)
        switch PolkitQuery.permission(bytes) {
        case .given: demand(contains("true"), "a permission that nobody gave")
        case .refused: demand(contains("false"), "a refusal that nobody uttered")
        case .absent: fatalError("polkit has answered")
        case nil: break
        }
        func contains(_ word: String) -> Bool {
            let words = String(decoding: bytes, as: UTF8.self).split { $0 == " " || $0 == "\n" }
            return words.count > 1 && words[0].utf8.elementsEqual(type) && words[1] == word
        }
    }

    /// A datagram of wpa_supplicant's.
    private static func takeReply(_ bytes: [UInt8]) {
        let reply = SupplicantReply(bytes)
        if let failure = reply.reasonNotToReassociate { demandPrintable(failure.description) }
        let whole = String(decoding: bytes, as: UTF8.self).unicodeScalars
        for number in reply.postponedNetworks {
            demand(number >= 0, "a number that no network has")
            let line = whole.split(separator: "\n").map(String.init).first {
                $0.hasSuffix("\t[TEMP-DISABLED]") && Int32($0.prefix { $0 != "\t" }) == number
            }
            demand(line != nil, "a network that was not named")
        }
        switch reply.outcome {
        case .success: demand(bytes.starts(with: "OK".utf8), "success that was not reported")
        case .failure(let failure): demandPrintable(failure.description)
        }
        if case .text(let text) = reply { demand(text.utf8.count <= SupplicantReply.longest, "too long") }
    }

    /// The output of a program that ended with an error.
    private static func takeComplaint(_ bytes: [UInt8]) {
        guard let line = CommandOutput.firstLine(of: bytes) else { return }
        demandPrintable(line)
        demand(!line.isEmpty && line.unicodeScalars.count <= 200, "\(line.unicodeScalars.count) characters")
        for status in Int32(0)...16 {
            _ = OwnerRequest.activation.meaning(ofStatus: status, description: line)
        }
    }
}
