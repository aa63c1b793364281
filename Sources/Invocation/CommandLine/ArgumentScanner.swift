// Without @preconcurrency, the compiler rejects the global C variables optind, opterr and optarg. Only the
// main actor uses them.
@preconcurrency import CInih
@preconcurrency import Glibc

/// Splits the command line into options and operands with getopt_long(3). It does not interpret their values.
@MainActor enum ArgumentScanner {
    enum Item: Equatable {
        case option(OptionName, argument: String?)
        case operand(String)
    }

    /// The items before the first mistake, and the mistake; nil: there is none.
    struct Scan {
        var items: [Item] = []
        var mistake: UsageError?
    }

    /// The code of the first long option: above all character codes, which short options have.
    private static let firstLongCode: Int32 = 256
    /// The return values of getopt_long for an operand, and at the end.
    private static let operandCode: Int32 = 1
    private static let endCode: Int32 = -1

    static func scan(_ arguments: [String]) -> Scan {
        var words = (["wifi-toggler"] + arguments).map { strdup($0) } + [nil]
        var options = OptionTable.rows.enumerated().map { index, row in
            option(
                name: strdup(row.name.rawValue),
                has_arg: row.kind.placeholder == nil ? no_argument : required_argument,
                flag: nil, val: firstLongCode + Int32(index))
        }
        options.append(option(name: nil, has_arg: 0, flag: nil, val: 0))
        defer {
            for word in words { free(word) }
            for option in options { free(UnsafeMutablePointer(mutating: option.name)) }
        }
        return words.withUnsafeMutableBufferPointer { words in scan(words, options) }
    }

    private static func scan(
        _ words: UnsafeMutableBufferPointer<UnsafeMutablePointer<CChar>?>, _ options: [option]
    ) -> Scan {
        guard let start = words.baseAddress else { return Scan() }
        let count = Int32(words.count - 1)
        var scan = Scan()
        // With 0, glibc forgets its state of an earlier command line (getopt(3)).
        optind = 0
        opterr = 0
        while scan.mistake == nil {
            let position = Int(max(optind, 1))
            let code = getopt_long(count, start, shortOptions, options, nil)
            if code == endCode { break }
            let word = position < words.count ? words[position].map { String(cString: $0) } : nil
            let argument = optarg.map { String(cString: $0) }
            if code == operandCode {
                scan.items.append(.operand(argument ?? ""))
            } else if let row = row(of: code) {
                scan.items.append(.option(row.name, argument: argument))
            } else {
                scan.mistake = mistake(code, optopt, in: word ?? "")
            }
        }
        for index in min(Int(optind), words.count)..<words.count {
            if scan.mistake == nil, let word = words[index] {
                scan.items.append(.operand(String(cString: word)))
            }
        }
        return scan
    }

    /// The short options for getopt_long. The leading `-` keeps operands in their order, whatever
    /// POSIXLY_CORRECT says. The `:` after it makes a missing argument differ from an unknown option.
    private static let shortOptions: String = OptionTable.rows.reduce(into: "-:") { text, row in
        guard let short = row.short else { return }
        text += String(short) + (row.kind.placeholder == nil ? "" : ":")
    }

    /// The row for a code that getopt_long returned or left in `optopt`; nil: no option has this code.
    private static func row(of code: Int32) -> OptionRow? {
        if code >= firstLongCode {
            let index = Int(code - firstLongCode)
            return index < OptionTable.rows.count ? OptionTable.rows[index] : nil
        }
        guard let byte = UInt8(exactly: code), byte != UInt8(ascii: "?"), byte != UInt8(ascii: ":") else {
            return nil
        }
        let letter = Character(Unicode.Scalar(byte))
        return OptionTable.rows.first { $0.short == letter }
    }

    private static func mistake(_ code: Int32, _ rejected: Int32, in word: String) -> UsageError {
        let row = row(of: rejected)
        if code == Int32(UInt8(ascii: ":")), let row {
            return .argumentMissing(
                option: row.flag, placeholder: row.kind.placeholder ?? "", example: row.example)
        }
        if let row { return .argumentUnexpected(option: row.flag) }
        guard word.hasPrefix("--") else {
            let letter = UInt8(exactly: rejected).map { Unicode.Scalar($0) }
            let isLetter = letter.map { $0.isASCII && $0.properties.isAlphabetic } ?? false
            return .unknownOption(
                isLetter ? "-" + String(letter.map(Character.init) ?? "?") : word, suggestion: nil)
        }
        return longMistake(String(word.dropFirst(2).prefix { $0 != "=" }))
    }

    private static func longMistake(_ name: String) -> UsageError {
        let names = OptionTable.rows.map(\.name.rawValue)
        let candidates = name.isEmpty ? [] : names.filter { $0.hasPrefix(name) }
        if candidates.count > 1 {
            return .ambiguousOption("--" + name, candidates: candidates.map { "--" + $0 })
        }
        let suggestion = Suggestion.nearest(to: name, among: names).map { "--" + $0 }
        return .unknownOption("--" + name, suggestion: suggestion)
    }
}
