import Model

/// The value of `--method`. Either it is names of methods, separated by commas, where `hook` is followed by a
/// colon and its program. Or it is `auto`, alone or with methods that are harsher than a bounce.
struct MethodText: Equatable, Sendable {
    /// The gentlest first, each once; empty: `auto`.
    let methods: [Method]
    /// The methods beside `auto`, the gentlest first, each once.
    let lastResorts: [Method]
    let hook: String?

    /// The names as users type them, `hook` with its colon.
    static let names = [automatic] + Method.allCases.map { $0 == .hook ? "\($0.rawValue):" : $0.rawValue }

    private static let automatic = "auto"

    /// Whether a user may name the method beside `auto`.
    static func mayFollowAutomatic(_ method: Method) -> Bool { method > .bounce && method != .reboot }

    static func parse(_ text: String) throws(ValueProblem) -> MethodText {
        var methods: Set<Method> = []
        var hook: String?
        var isAutomatic = false
        for part in ListText.elements(of: text) {
            let words = part.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(
                String.init)
            if part == automatic {
                isAutomatic = true
                continue
            }
            guard let method = Method(rawValue: words[0]) else {
                let known = [automatic] + Method.allCases.map(\.rawValue)
                throw .unknownMethod(suggestion: Suggestion.nearest(to: words[0], among: known))
            }
            switch method {
            case .hook:
                guard words.count > 1, let path = try? PathText.parse(words[1]) else { throw .notAHook }
                hook = path
            case .reassociate, .owner, .restartOwner, .bounce, .rfkill, .rebind, .reset, .reboot:
                guard words.count == 1 else { throw .methodTakesNothing(method.rawValue) }
            }
            methods.insert(method)
        }
        guard isAutomatic else {
            guard methods != [.reboot] else { throw .rebootIsAlone }
            return MethodText(methods: methods.sorted(), lastResorts: [], hook: hook)
        }
        if let wrong = methods.sorted().first(where: { !mayFollowAutomatic($0) }) {
            throw .notBesideAutomatic(wrong.rawValue)
        }
        return MethodText(methods: [], lastResorts: methods.sorted(), hook: hook)
    }
}
