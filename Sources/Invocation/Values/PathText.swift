/// The absolute path of a program.
enum PathText {
    /// The longest path in bytes: PATH_MAX (linux/limits.h) without the NUL.
    private static let longest = 4095

    static func parse(_ text: String) throws(ValueProblem) -> String {
        guard !text.isEmpty else { throw .pathMissing }
        guard text.utf8.first == UInt8(ascii: "/") else { throw .pathNotAbsolute(text) }
        guard text.utf8.count <= longest, text.utf8.last != UInt8(ascii: "/"), PlainText.isPlain(text) else {
            throw .notAPath(text)
        }
        return text
    }
}
