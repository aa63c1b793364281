/// The value of an option that is a list with commas.
enum ListText {
    /// The elements, without the blanks around them. An element can be empty.
    static func elements(of text: String) -> [String] {
        text.split(separator: ",", omittingEmptySubsequences: false).map { trimmed($0) }
    }

    private static func trimmed(_ element: Substring) -> String {
        var text = element.drop(while: isBlank)
        while let last = text.last, isBlank(last) { text.removeLast() }
        return String(text)
    }

    private static func isBlank(_ character: Character) -> Bool { character == " " || character == "\t" }
}
