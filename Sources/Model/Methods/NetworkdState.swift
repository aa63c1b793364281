/// systemd-networkd's state of an interface, from the output of networkctl(1).
enum NetworkdState {
    /// The arguments for networkctl(1), which reads it from networkd's files.
    static func question(about interface: String) -> [String] {
        ["--no-pager", "--no-legend", "--full", "list", interface]
    }

    /// Whether it has failed to configure the interface: then it does nothing more about it, also after the cause
    /// has ended, and after a bounce. While it waits for a lease, or has made all attempts that it may
    /// (`MaxAttempts=`), it says `configuring`, and a bounce makes it ask again.
    /// - Parameter answer: a line for each interface that the name, as a pattern, fits: index, name, type,
    ///   operational state and setup state.
    static func hasFailed(_ answer: [UInt8], on interface: String) -> Bool {
        answer.split(separator: UInt8(ascii: "\n")).contains { line in
            let words = line.split(separator: UInt8(ascii: " "))
            return words.count == 5 && words[1].elementsEqual(interface.utf8)
                && words[4].elementsEqual("failed".utf8)
        }
    }
}
