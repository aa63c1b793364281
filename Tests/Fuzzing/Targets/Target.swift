import Glibc

/// The fuzz targets: each reads one kind of input from outside the program.
enum Target: String, CaseIterable {
    case routeMessages = "route-messages"
    case wirelessMessages = "wireless-messages"
    case configuration
    case arguments
    case durations
    case intent
    case smallFiles = "small-files"
    case helperMessages = "helper-messages"
    case traces
    case controlMessages = "control-messages"
    case histories
    case ownerAnswers = "owner-answers"
    case drivers
    case sysfsTrees = "sysfs-trees"

    /// An environment variable names the target, because libFuzzer starts this program again with other
    /// arguments.
    static let chosen: Target = {
        let name = getenv("WIFI_TOGGLER_FUZZ_TARGET").map { String(cString: $0) } ?? ""
        guard let target = Target(rawValue: name) else {
            fatalError("WIFI_TOGGLER_FUZZ_TARGET='\(name)': one of \(allCases.map(\.rawValue))")
        }
        return target
    }()

    /// Reads one input. A trap, an unmet `demand`, or a report of AddressSanitizer is a bug.
    @MainActor func take(_ bytes: [UInt8]) {
        switch self {
        case .routeMessages: RouteMessages.take(bytes)
        case .wirelessMessages: WirelessMessages.take(bytes)
        case .configuration: ConfigurationTexts.take(bytes)
        case .arguments: ArgumentLists.take(bytes)
        case .durations: ValueTexts.take(bytes)
        case .intent: IntentRecords.take(bytes)
        case .smallFiles: SmallFiles.take(bytes)
        case .helperMessages: HelperMessages.take(bytes)
        case .traces: Traces.take(bytes)
        case .controlMessages: ControlWords.take(bytes)
        case .histories: Histories.take(bytes)
        case .ownerAnswers: OwnerAnswers.take(bytes)
        case .drivers: DriverFiles.take(bytes)
        case .sysfsTrees: SysfsTrees.take(bytes)
        }
    }
}

/// libFuzzer's call for each input, on the main thread.
@_cdecl("LLVMFuzzerTestOneInput")
public func takeInput(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: data, count: size))
    MainActor.assumeIsolated { Target.chosen.take(bytes) }
    return 0
}

/// Checks a condition that must hold for every input, also in an optimised build. If it fails, the program
/// ends with this text.
func demand(
    _ holds: Bool, _ what: @autoclosure () -> String, line: UInt = #line, file: StaticString = #fileID
) {
    guard !holds else { return }
    fatalError("\(file):\(line): \(what())")
}

/// Checks that a text can be printed as part of one line: it neither controls a terminal nor begins another
/// line.
func demandPrintable(_ text: String, line: UInt = #line, file: StaticString = #fileID) {
    let holds = text.unicodeScalars.allSatisfy { scalar in
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }
    demand(holds, "not fit for one line: \(text.debugDescription)", line: line, file: file)
}
