/// Makes untrusted text safe to show: only printable ASCII is left, which cannot control a terminal, begin
/// another line, or imitate other characters.
public enum Printable {
    /// Whether the byte is printable ASCII: 0x20 to 0x7e.
    static func includes(_ byte: UInt8) -> Bool { (0x20...0x7e).contains(byte) }

    /// The text with `?` for each byte that is not printable, cut to `limit` bytes; a cut text ends with
    /// `...`.
    public static func text(_ bytes: some Collection<UInt8>, limit: Int) -> String {
        let isWhole = bytes.count <= limit
        let kept = bytes.prefix(isWhole ? limit : max(0, limit - cut.utf8.count))
        let shown = kept.map { includes($0) ? $0 : UInt8(ascii: "?") }
        return String(decoding: shown, as: UTF8.self) + (isWhole ? "" : cut)
    }

    private static let cut = "..."
}
