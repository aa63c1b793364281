/// The directories and the names of systemd's units.
package enum SystemdUnit {
    /// The directories of units, the most important first: that of the administrator (systemd.unit(5)).
    package static let directories = [
        "/etc/systemd/system", "/run/systemd/system", "/usr/local/lib/systemd/system",
        "/usr/lib/systemd/system", "/lib/systemd/system",
    ]

    /// A name, escaped for use as the instance name of a unit (systemd-escape(1)).
    package static func escaped(_ name: String) -> String {
        name.utf8.enumerated().map { position, byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: ":"), UInt8(ascii: "_"):
                String(UnicodeScalar(byte))
            case UInt8(ascii: ".") where position > 0: "."
            default: "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
        }.joined()
    }
}
