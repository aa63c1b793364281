import Model

@testable import Platform
@testable import Recovery

/// What owners and systemd answer, on the bus by way of their own programs and on wpa_supplicant's socket, as if they
/// were hostile. The first byte chooses the reader.
enum OwnerAnswers {
    private static let readers: [@MainActor ([UInt8]) -> Void] = [
        takeProfiles, takeUnits, takeReply, takeComplaint, takeLinks,
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
            // Only for the profiles, which are the second answer.
            case .query(let arguments):
                demand(answers.count == 1 && condition?.kind == .gaveUp, "another query: \(arguments)")
            case .order(let arguments): check(arguments, profileIn: answers)
            }
        } catch {
            demandPrintable(Output.escaped(error.description))
        }
    }

    /// The profile is the only word of an order that comes from an answer.
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

    /// What a program prints that ends with an error.
    private static func takeComplaint(_ bytes: [UInt8]) {
        guard let line = CommandOutput.firstLine(of: bytes) else { return }
        demandPrintable(line)
        demand(!line.isEmpty && line.unicodeScalars.count <= 200, "\(line.unicodeScalars.count) characters")
        for status in Int32(0)...16 {
            _ = OwnerRequest.activation.meaning(ofStatus: status, description: line)
        }
    }
}
