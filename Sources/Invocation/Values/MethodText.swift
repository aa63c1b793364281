import Model

/// The value of `--method`: `auto`, or names of methods, separated by commas, with the program of a hook after a
/// colon.
struct MethodText: Equatable, Sendable {
    /// The gentlest first, each once; empty: `auto`.
    let methods: [Method]
    let hook: String?

    /// The names as they are typed, `hook` with its colon.
    static let names = [automatic] + Method.allCases.map { $0 == .hook ? "\($0.rawValue):" : $0.rawValue }

    private static let automatic = "auto"

    static func parse(_ text: String) throws(ValueProblem) -> MethodText {
        if text == automatic { return MethodText(methods: [], hook: nil) }
        var methods: Set<Method> = []
        var hook: String?
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let words = part.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(
                String.init)
            guard words[0] != automatic else { throw .automaticIsAlone }
            guard let method = Method(rawValue: words[0]) else {
                let known = [automatic] + Method.allCases.map(\.rawValue)
                throw .unknownMethod(suggestion: Suggestion.nearest(to: words[0], among: known))
            }
            switch method {
            case .hook:
                guard words.count > 1, let path = try? PathText.parse(words[1]) else { throw .notAHook }
                hook = path
            case .reassociate, .owner, .restartOwner, .bounce, .rfkill, .rebind, .reset:
                guard words.count == 1 else { throw .methodTakesNothing(method.rawValue) }
            }
            methods.insert(method)
        }
        return MethodText(methods: methods.sorted(), hook: hook)
    }
}
