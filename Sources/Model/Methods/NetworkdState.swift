/// systemd-networkd's state of an interface, from the output of networkctl(1).
enum NetworkdState {
    /// The arguments for networkctl(1), which reads the state from networkd's files.
    static func question(about interface: String) -> [String] {
        ["--no-pager", "--no-legend", "--full", "list", interface]
    }

    /// Whether networkd has failed to configure the interface. After that, networkd does nothing more for the
    /// interface, even if the cause has ended, and even after a bounce. A missing lease is no such failure:
    /// while networkd waits for a lease, and after it has made all permitted attempts (`MaxAttempts=`), the
    /// state is `configuring`, and a bounce makes networkd ask again.
    /// - Parameter answer: a line for each interface whose name matches the given name as a pattern: index,
    ///   name, type, operational state and setup state.
    static func hasFailed(_ answer: [UInt8], on interface: String) -> Bool {
        answer.split(separator: UInt8(ascii: "\n")).contains { line in
            let words = line.split(separator: UInt8(ascii: " "))
            return words.count == 5 && words[1].elementsEqual(interface.utf8)
                && words[4].elementsEqual("failed".utf8)
        }
    }
}
