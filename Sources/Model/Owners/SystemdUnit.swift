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
            let isPlain =
                byte.isASCIILetter || byte.isASCIIDigit || ":_".utf8.contains(byte)
                || byte == UInt8(ascii: ".") && position > 0
            return isPlain
                ? String(UnicodeScalar(byte)) : "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }.joined()
    }
}
