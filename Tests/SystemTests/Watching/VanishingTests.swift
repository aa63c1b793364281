import Glibc
import Testing

/// The interface disappears while the program runs, in every state of the program.
@Suite("An interface that disappears", .needsRoot)
struct VanishingTests {
    enum Way: String, CaseIterable, CustomTestStringConvertible {
        case unplugged, moved

        var testDescription: String { rawValue }

        func happen(to link: VirtualLink) throws {
            switch self {
            case .unplugged: try link.removeCable()
            case .moved: try link.nearIP("link set \(VirtualLink.near) netns \(link.farNamespace)")
            }
        }

        /// Brings the interface back.
        func end(on link: VirtualLink) throws {
            switch self {
            case .unplugged: try link.makeCable()
            case .moved:
                try link.farIP("link set \(VirtualLink.near) netns \(link.nearNamespace)")
                try link.farIP("link set \(VirtualLink.far) up")
                try link.nearIP("address add \(VirtualLink.nearAddress)/24 dev \(VirtualLink.near)")
                try link.nearIP("link set \(VirtualLink.near) up")
            }
        }
    }

    @Test(
        "the service says so, goes on, and watches the interface when it is back",
        arguments: ProgramState.allCases, Way.allCases)
    func service(_ state: ProgramState, _ way: Way) throws {
        let link = try VirtualLink()
        try state.prepare(link)
        let program = try link.start("run", ["--verbose"] + state.serviceOptions)
        try state.reach(program)
        try way.happen(to: link)
        try eventually("it is told that the interface is gone", detail: program.transcript) {
            program.standardError.contains("not there")
        }
        let said = program.standardError.count
        try way.end(on: link)
        try eventually("it is checked again", detail: program.transcript) {
            program.standardError.dropFirst(said).contains("absent → checking")
        }
        #expect(program.standardError.count(of: "the interface is not there") == 1, "\(program.transcript)")
        try program.endService()
        #expect(try link.isUp)
    }

    @Test(
        "a one-shot ends with 69 and says once what is missing",
        arguments: ProgramState.allCases, Way.allCases)
    func oneShot(_ state: ProgramState, _ way: Way) throws {
        let link = try VirtualLink()
        try state.prepare(link)
        let (command, options) = state.oneShot
        let program = try link.start(command, ["--verbose"] + options)
        try state.reach(program)
        try way.happen(to: link)
        let outcome = try program.outcome()
        #expect(outcome.status == 69, "\(outcome)")
        #expect(outcome.words.count(of: "no such interface") == 1, "\(outcome)")
        #expect(outcome.words.count(of: "could not") == 0, "\(outcome)")
    }

    /// While the kernel deletes thousands of other links, it keeps its lock for most of a second. A request
    /// or a raise in this time waits in the kernel, and when it proceeds, the link does not exist any more.
    @Test(
        "if the interface is deleted while the program waits for the kernel's lock, the status is 69",
        arguments: ["asking", "raising"])
    func underway(_ step: String) throws {
        let link = try VirtualLink()
        // The gateway does not answer, so the bounce does not end by itself, however late the removal is.
        try link.muteFarEnd()
        let crowd = try Crowd(in: link, pairs: 2000)
        try link.nearIP("link set \(VirtualLink.near) group \(Crowd.group)")
        let program: Child
        if step == "asking" {
            let removal = try crowd.beginRemoval()
            program = try link.start("toggle", ["--verbose", "--delay", "0", "--settle", "60s"])
            _ = try removal.outcome()
        } else {
            program = try link.start("toggle", ["--verbose", "--delay", "700ms", "--settle", "60s"])
            try ProgramState.keptDown.reach(program)
            usleep(500_000)
            _ = try crowd.beginRemoval().outcome()
        }
        let outcome = try program.outcome()
        #expect(outcome.status == 69, "\(outcome)")
        #expect(outcome.words.count(of: "no such interface") == 1, "\(outcome)")
    }

    @Test("if the interface is deleted in a bounce, toggle ends with 69 and one line, or with 0")
    func sweep() throws {
        let link = try VirtualLink()
        var statuses: [Int32: Int] = [:]
        for milliseconds in 0..<60 {
            let options = ["--quiet", "--delay", "5ms", "--settle", "0", "--probe", "none"]
            let program = try link.start("toggle", options)
            usleep(UInt32(milliseconds) * 1000)
            try link.removeCable()
            let outcome = try program.outcome()
            statuses[outcome.status, default: 0] += 1
            #expect([0, 69].contains(outcome.status), "after \(milliseconds) ms: \(outcome)")
            let lines = outcome.words.split(separator: "\n").count
            #expect(lines == (outcome.status == 69 ? 1 : 0), "after \(milliseconds) ms: \(outcome)")
            try link.makeCable()
        }
        #expect(statuses[69, default: 0] > 0, "\(statuses)")
    }

    @Test("an interface plugged in again under another name is recognised by its hardware address")
    func replugged() throws {
        let link = try VirtualLink()
        let address = try link.hardwareAddress()
        let program = try link.start("run", ["--verbose", "--interval", "1h", "--probe", "none"])
        try ProgramState.waiting.reach(program)
        try link.removeCable()
        try eventually("it is told that the interface is gone", detail: program.transcript) {
            program.standardError.contains("not there")
        }
        // Another interface appears first; the program must not take it for the lost one.
        try link.nearIP("link add stranger0 type veth peer name stranger1")
        try link.nearIP(
            "link add other0 address \(address) type veth peer name other1 netns \(link.farNamespace)")
        try eventually("it is watched under its new name", detail: program.transcript) {
            program.standardError.contains("other0: absent → checking")
        }
        #expect(program.standardError.contains("\(VirtualLink.near): is called") == false)
        #expect(!program.standardError.contains("stranger"), "\(program.transcript)")
        #expect(try link.isLocked("other0"))
        #expect(try !link.isLocked(VirtualLink.near), "the lock follows the name")
        try program.endService()
    }

    @Test("of two lost interfaces one returns under the name of the other, whose replacement is watched, too")
    func swapped() throws {
        let link = try VirtualLink()
        let address = "02:00:5e:00:53:02"
        func plug(_ name: String, _ address: String) throws {
            try link.nearIP("link add \(name) address \(address) type veth peer name far-\(name)")
        }
        try plug("second0", address)
        let program = try link.start(
            "run", ["--verbose", "--interval", "1h", "--probe", "none", "second0"])
        try eventually("both are watched", detail: program.transcript) {
            program.standardError.count(of: "checking → waiting") == 2
        }
        try link.removeCable()
        try link.nearIP("link del second0")
        try eventually("both are lost", detail: program.transcript) {
            program.standardError.count(of: "not there") == 2
        }
        try plug(VirtualLink.near, address)
        try eventually("the second one is back under the name of the first", detail: program.transcript) {
            program.standardError.contains("\(VirtualLink.near): absent → checking")
        }
        try plug("second0", "02:00:5e:00:53:03")
        try eventually("its name is watched again", detail: program.transcript) {
            program.standardError.count(of: "second0: checking → waiting") == 2
        }
        #expect(!program.standardError.contains("locked by"), "\(program.transcript)")
        try program.endService()
    }
}
