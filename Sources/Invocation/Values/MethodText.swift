import Model

/// The value of `--method`: either names of methods, separated by commas (`hook` is followed by a colon and
/// its program), or `auto`, alone or with methods that are harsher than a bounce.
struct MethodText: Equatable, Sendable {
    /// The gentlest first, each once; empty: `auto`.
    let methods: [Method]
    /// The methods beside `auto`, the gentlest first, each once.
    let methodsBesideAuto: [Method]
    let hook: String?
    /// The first word that the text has more than once, such as `bounce`; nil: there is none.
    let repeated: String?

    static let automatic = "auto"

    var namesReboot: Bool { (methods + methodsBesideAuto).contains(.reboot) }

    /// Whether a user may name the method beside `auto`.
    static func mayFollowAutomatic(_ method: Method) -> Bool { method > .bounce }

    static func parse(_ text: String) throws(ValueProblem) -> MethodText {
        var methods: Set<Method> = []
        var hook: String?
        var isAutomatic = false
        var words: [String] = []
        var repeated: String?
        for part in ListText.elements(of: text) {
            let pieces = part.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(
                String.init)
            if repeated == nil, words.contains(pieces[0]) { repeated = pieces[0] }
            words.append(pieces[0])
            if part == automatic {
                isAutomatic = true
                continue
            }
            guard let method = Method(rawValue: pieces[0]) else {
                let known = [automatic] + Method.allCases.map(\.rawValue)
                throw .unknownMethod(suggestion: Suggestion.nearest(to: pieces[0], among: known))
            }
            switch method {
            case .hook:
                guard pieces.count > 1, let path = try? PathText.parse(pieces[1]) else { throw .notAHook }
                hook = path
            case .reassociate, .owner, .restartOwner, .bounce, .rfkill, .rebind, .reset, .reboot:
                guard pieces.count == 1 else { throw .methodTakesNothing(method.rawValue) }
            }
            methods.insert(method)
        }
        guard isAutomatic else {
            guard methods != [.reboot] else { throw .rebootIsAlone }
            return MethodText(
                methods: methods.sorted(), methodsBesideAuto: [], hook: hook, repeated: repeated)
        }
        if let wrong = methods.sorted().first(where: { !mayFollowAutomatic($0) }) {
            throw .notBesideAutomatic(wrong.rawValue)
        }
        return MethodText(methods: [], methodsBesideAuto: methods.sorted(), hook: hook, repeated: repeated)
    }
}
