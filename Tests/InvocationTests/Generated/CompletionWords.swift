import Model

@testable import Invocation

/// The contents of the completions for all shells.
enum CompletionWords {
    static let commands = Command.allCases
    static let takingInterfaces = commands.filter { ![.none, .file].contains($0.row.operands) }
    static let takingFile = commands.filter { $0.row.operands == .file }

    /// How the argument of an option is completed.
    enum Argument {
        case none, unknown, file, directory, user
        case words([String])
    }

    /// The names as users type them, `hook` with its colon.
    private static let methods =
        [MethodText.automatic] + Method.allCases.map { $0 == .hook ? "\($0.rawValue):" : $0.rawValue }

    static func argument(of row: OptionRow) -> Argument {
        switch row.kind {
        case .flag: .none
        case .duration, .count, .percent, .quietWindow, .instant: .unknown
        case .yesOrNo: .words(["yes", "no"])
        case .file: .file
        case .directory, .absoluteDirectory: .directory
        case .probe: .words(ProbeText.kinds)
        case .method: .words(methods)
        case .user: .user
        case .powerSave: .words(PowerSave.allCases.map(\.rawValue))
        case .log: .words(LogTarget.allCases.map(\.rawValue))
        case .layers: .words(Layer.eligibleForBounce.map(\.rawValue))
        }
    }

    /// The option's short form, if there is one (`-i`), and its long form (`--interval`).
    static func flags(_ row: OptionRow) -> [String] {
        (row.short.map { ["-\($0)"] } ?? []) + [row.flag]
    }
}
