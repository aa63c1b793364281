/// The type of an option's argument, and its range.
enum OptionKind: Equatable, Sendable {
    /// The option has no argument on the command line, and yes or no in the configuration file.
    case flag
    case yesOrNo
    case duration(ClosedRange<Duration>)
    case count(ClosedRange<Int>)
    /// A number with or without a percent sign.
    case percent(ClosedRange<Int>)
    case file
    case directory
    /// An absolute path, or the word `none`.
    case absoluteDirectory
    case probe
    case method
    case layers
    case user
    case quietWindow
    case instant
    case log
    case powerSave

    /// The word that stands for the argument in help texts; nil: the option has no argument.
    var placeholder: String? {
        switch self {
        case .flag: nil
        case .yesOrNo: "yes|no"
        case .duration: "DURATION"
        case .count: "N"
        case .percent: "PERCENT"
        case .file: "FILE"
        case .directory, .absoluteDirectory: "DIR"
        case .probe: "SPEC"
        case .method: "METHOD"
        case .layers: "LAYER[,LAYER]..."
        case .user: "USER"
        case .quietWindow: "WINDOW"
        case .instant: "T"
        case .log: "WHERE"
        case .powerSave: "off|auto|leave"
        }
    }
}
