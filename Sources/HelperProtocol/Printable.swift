/// What strangers sent, as it may be shown: printable ASCII and nothing else, so that it can neither steer a
/// terminal, nor begin another line, nor look like something that it is not.
public enum Printable {
    /// 0x20 to 0x7e.
    static func includes(_ byte: UInt8) -> Bool { (0x20...0x7e).contains(byte) }

    /// The text with `?` for all else, cut to `limit` bytes; what was cut ends with `...`.
    public static func text(_ bytes: some Collection<UInt8>, limit: Int) -> String {
        let isWhole = bytes.count <= limit
        let kept = bytes.prefix(isWhole ? limit : max(0, limit - cut.utf8.count))
        let shown = kept.map { includes($0) ? $0 : UInt8(ascii: "?") }
        return String(decoding: shown, as: UTF8.self) + (isWhole ? "" : cut)
    }

    private static let cut = "..."
}
