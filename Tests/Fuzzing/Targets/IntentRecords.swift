import Model
import Platform
import Recovery

@testable import Guarding

/// The record of a bounce under way, as the next start finds it below /run.
enum IntentRecords {
    static func take(_ bytes: [UInt8]) {
        if let record = IntentRecord(bytes) {
            demand(record.index.rawValue > 0, "no interface")
            demand(record.order.downTime >= .zero && record.order.settle >= .zero, "a time in the past")
            demand(record.order.method == record.undo.method, "a method that its undo is not of")
            demand(record.order.method.takesLinkDown, "nothing to give back")
            check(record)
        }
        write(bytes)
    }

    /// A record that was written can be read.
    private static func check(_ record: IntentRecord) {
        guard let read = IntentRecord(record.bytes) else { fatalError("it is no record any more") }
        demand(IntentRecord(read.bytes) == read, "it changes each time")
        // Line breaks are not kept, because they would forge a line.
        let texts =
            [record.boot, record.namespace, record.name] + record.order.snapshot.items.map(\.description)
        let isClean = texts.allSatisfy { !$0.utf8.contains(UInt8(ascii: "\n")) }
        if isClean { demand(read == record, "another record") }
    }

    /// A record can be read again, whatever names and routes the kernel reported.
    private static func write(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        let item = Snapshot.Item(kind: .route, message: bytes, description: text, isAdministrators: true)
        let binding = DriverBinding(bus: "usb", driver: text, device: text)
        let found = binding.flatMap { BusReset([$0]) }
        let unit = found.flatMap { ResetUnit(text, $0) }.map { LinkUndo.unit($0) }
        let reset = unit ?? found.map { LinkUndo.reset($0) }
        let driver = reset ?? binding.map { LinkUndo.driver($0) }
        check(
            IntentRecord(
                boot: text, namespace: text, index: InterfaceIndex(rawValue: 7), name: text,
                order: GuardOrder(
                    macAddress: nil, snapshot: Snapshot(items: [item]), downTime: .zero, settle: .zero,
                    restores: true), undo: driver ?? .radio(RadioSwitch(index: UInt32(bytes.count)))))
    }
}
