import Foundation
import Platform
import TestSupport
import Testing

@testable import Recovery

@MainActor @Suite(.timeLimit(.minutes(10)))
struct RadioSwitchesTests {
    let scratch: Scratch
    init() throws { scratch = try Scratch() }

    /// struct rfkill_event on a little-endian machine: idx, type, op, soft, hard.
    private static func event(
        _ index: UInt8, _ operation: UInt8, soft: UInt8 = 0, hard: UInt8 = 0, type: UInt8 = 1
    ) -> [UInt8] {
        [index, 0, 0, 0, type, operation, soft, hard]
    }

    @Test("an rfkill event gives the switch, the operation and the blocks")
    func parsed() throws {
        let event = try #require(RadioEvent([5, 1, 0, 0, 1, 2, 1, 0]))
        #expect(event.index == 0x105)
        #expect(event.isWLAN && event.isSoftBlocked && !event.isHardBlocked)
        #expect(event.operation == .changed)
        #expect(try #require(RadioEvent([5, 0, 0, 0, 2, 0, 0, 1])).isWLAN == false)
        #expect(
            RadioEvent([5, 1, 0, 0, 1, 2, 1, 0, 9]) == event, "what a newer kernel appends is left alone")
    }

    @Test("an event that is cut off, or has an unknown operation, is ignored")
    func garbage() {
        for count in 0..<8 { #expect(RadioEvent([5, 1, 0, 0, 1, 2, 1, 0].prefix(count)) == nil) }
        for operation: UInt8 in 3...255 { #expect(RadioEvent(Self.event(1, operation)) == nil) }
    }

    /// A named pipe in the role of /dev/rfkill. A test writes the kernel's events into the pipe.
    private func device() throws -> (path: String, end: FileHandle) {
        let path = scratch.path + "/rfkill"
        #expect(mkfifo(path, 0o600) == 0)
        let descriptor = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        return (path, FileHandle(fileDescriptor: descriptor, closeOnDealloc: true))
    }

    private func switches(
        _ path: String, _ onChange: (@MainActor ([RadioSwitches.Change]) -> Void)? = nil
    ) throws -> RadioSwitches {
        try scratch.write("3\n", to: "sys/rfkill0/device/index")
        try scratch.write("phy9\n", to: "sys/rfkill0/name")
        try scratch.write("phy4\n", to: "sys/rfkill1/name")
        try scratch.write("hci0\n", to: "sys/rfkill2/name")
        try scratch.write("phy5\n", to: "sys/rfkill3/name")
        return try RadioSwitches(device: path, sysfs: scratch.path + "/sys", onChange: onChange)
    }

    @Test("each radio has the block of its own switch, found by number, else by name")
    func blocks() throws {
        let (path, end) = try device()
        end.write(Data(Self.event(0, 0, soft: 1) + Self.event(1, 0, soft: 1, hard: 1)))
        end.write(Data(Self.event(2, 0, soft: 1, type: 2) + Self.event(3, 0)))
        let radios = try switches(path)
        #expect(radios.block(ofPhy: 3) == .soft)
        #expect(radios.block(ofPhy: 4) == .hard)
        #expect(radios.block(ofPhy: 5) == .none)
        #expect(radios.block(ofPhy: 9) == .none, "the number of the device goes before the name")
        #expect(radios.block(ofPhy: 0) == .none)
    }

    @Test("if nothing watches the device, each query reads the new events")
    func asked() throws {
        let (path, end) = try device()
        end.write(Data(Self.event(1, 0)))
        let radios = try switches(path)
        #expect(radios.block(ofPhy: 4) == .none)
        end.write(Data(Self.event(1, 2, soft: 1)))
        #expect(radios.block(ofPhy: 4) == .soft)
        end.write(Data(Self.event(1, 2, soft: 0)))
        #expect(radios.block(ofPhy: 4) == .none)
        end.write(Data(Self.event(1, 2, hard: 1) + Self.event(1, 1)))
        #expect(radios.block(ofPhy: 4) == .none, "a switch that went away blocks nothing")
    }

    @Test("a watched change is reported, also if a query read it first")
    func watched() async throws {
        let (path, end) = try device()
        end.write(Data(Self.event(1, 0)))
        var changes = 0
        let radios = try switches(path) { changes += $0.count }
        end.write(Data(Self.event(1, 2, soft: 1)))
        #expect(await eventually { changes == 1 }, "no change was told within 20 s")
        end.write(Data(Self.event(1, 2, hard: 1)))
        #expect(radios.block(ofPhy: 4) == .hard)
        #expect(await eventually { changes == 2 }, "no change was told within 20 s")
        end.write(Data(Self.event(2, 2, soft: 1, type: 2)))
        end.write(Data(Self.event(1, 2, soft: 1)))
        #expect(await eventually { changes == 3 }, "no change was told within 20 s")
        #expect(radios.block(ofPhy: 4) == .soft)
    }

    @Test(
        "a block that is lifted at once is reported, with each change in its order",
        arguments: [false, true])
    func short(isAskedFirst: Bool) async throws {
        let (path, end) = try device()
        end.write(Data(Self.event(1, 0)))
        var changes: [RadioSwitches.Change] = []
        let radios = try switches(path) { changes += $0 }
        end.write(Data(Self.event(1, 2, soft: 1) + Self.event(1, 2)))
        if isAskedFirst { #expect(radios.block(ofPhy: 4) == .none) }
        let told: [RadioSwitches.Change] = [.init(phy: 4, block: .soft), .init(phy: 4, block: .none)]
        #expect(await eventually { changes.count == 2 }, "no change was told within 20 s")
        #expect(changes == told)
    }

    @Test("without /dev/rfkill there are no switches; an error in opening it is reported")
    func missing() throws {
        #expect(try switches(scratch.path + "/none") { _ in }.block(ofPhy: 3) == .none)
        #expect(throws: SystemError(call: "open", code: ENOTDIR)) { _ = try switches("/dev/null/rfkill") }
    }

    @Test("a device that has ended is not read for ever")
    func ended() throws {
        #expect(try switches("/dev/null").block(ofPhy: 3) == .none)
    }
}
