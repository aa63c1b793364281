/// An error in a value, on the command line or in the configuration file.
public enum ValueProblem: Error, Equatable, Sendable {
    case empty
    case notADuration
    /// The duration is above the range; the associated value is the largest allowed one.
    case tooLong(Duration)
    /// The duration is below the range; the associated value is the smallest allowed one.
    case tooShort(Duration)
    /// `backoff-max` is below the `backoff` that is given with it, which is the associated value.
    case belowBackoff(Duration)
    case notANumber
    case outOfRange(ClosedRange<Int>)
    case notYesOrNo
    case notPowerSave
    case unknownMethod(suggestion: String?)
    case unknownProbe(suggestion: String?)
    case unknownLayer(suggestion: String?)
    case unknownLog(suggestion: String?)
    /// No bounce can cure the faults of this layer.
    case layerNeverBounced(String)
    /// The text is not of the form `[DAYS ]HH:MM-HH:MM`.
    case notAWindow
    case notATime(String)
    case unknownDay(String, suggestion: String?)
    /// The window ends at the time at which it begins.
    case emptyWindow
    case methodTakesNothing(String)
    /// This method may not stand beside `auto`.
    case notBesideAutomatic(String)
    /// `reboot` is given without a method that is tried before it.
    case rebootIsAlone
    case notAHook
    case probeTakesNothing(String)
    case noneIsAlone
    case noneIsRequired
    case hostMissing
    case portMissing
    case notAHost(String)
    case notAnAddress(String)
    case notAPort(String)
    /// An IPv6 address before a port needs brackets.
    case bracketsMissing
    /// `dns:` without a name.
    case nameMissing
    case notAName(String)
    /// A name server must be given by its address.
    case notAServer(String)
    /// `http://...`, where the user meant `http:http://...`.
    case urlAlone
    case badURL(URLProblem)
    case notAnExpectation(String)
    case notAStatus(String, ClosedRange<Int>)
    /// The text is empty, longer than this many bytes, or not one line of plain text.
    case notABody(Int)
    case pathMissing
    case pathNotAbsolute(String)
    case notAPath(String)
    /// The path of the directory is not absolute.
    case notAbsolute
    case notAUser
    /// The text is neither a duration nor a day nor a time.
    case notAMoment

    /// The problem as the end of a sentence that begins with the value: "'90s' " + "is more than 60s".
    var description: String {
        switch self {
        case .empty: "is empty"
        case .notADuration: "is not a duration"
        case .tooLong(let limit): "is more than \(DurationText.format(limit))"
        case .tooShort(let limit): "is less than \(DurationText.format(limit))"
        case .belowBackoff(let backoff): "is less than backoff, \(DurationText.format(backoff))"
        case .notANumber: "is not a whole number"
        case .outOfRange(let range): "is not between \(range.lowerBound) and \(range.upperBound)"
        case .notYesOrNo: "is neither yes nor no"
        case .notPowerSave: "is none of off, auto and leave"
        case .unknownMethod(let suggestion): "is not a known method" + Self.meant(suggestion)
        case .unknownProbe(let suggestion): "is not a known probe" + Self.meant(suggestion)
        case .unknownLayer(let suggestion): "names no layer" + Self.meant(suggestion)
        case .unknownLog(let suggestion):
            "is none of auto, stderr, journal and syslog" + Self.meant(suggestion)
        case .layerNeverBounced(let layer): "names '\(layer)', a layer whose faults no bounce can cure"
        case .notAWindow: "is neither 'none' nor of the form [DAYS ]HH:MM-HH:MM"
        case .notATime(let text): "names \(QuotedText.quote(text)), which is not a time (00:00 to 24:00)"
        case .unknownDay(let text, let suggestion):
            "names \(QuotedText.quote(text)), which is no day of the week" + Self.meant(suggestion)
        case .emptyWindow: "ends when it begins; the whole day is 00:00-24:00"
        case .notBesideAutomatic(let method):
            "has '\(method)' beside 'auto', which only rfkill, rebind, reset, hook and"
                + " reboot may follow"
        case .rebootIsAlone: "names no other method before 'reboot', which is the last resort"
        case .methodTakesNothing(let method): "gives a program to '\(method)', which takes none"
        case .notAHook: "names 'hook' without the absolute path of a program"
        case .probeTakesNothing(let kind): "gives a target to '\(kind)', which takes none"
        case .noneIsAlone: "is one of several probes; 'none' must be the only one"
        case .noneIsRequired: "requires 'none' to succeed, but 'none' is no probe"
        case .hostMissing: "names no host"
        case .portMissing: "names no port"
        case .notAHost(let text): "names \(QuotedText.quote(text)), neither a host name nor an address"
        case .notAnAddress(let text): "names \(QuotedText.quote(text)), which is not an IP address"
        case .notAPort(let text): "names \(QuotedText.quote(text)), which is not a port (1 to 65535)"
        case .nameMissing: "names nothing to look up"
        case .notAName(let text): "names \(QuotedText.quote(text)), which is not a host name"
        case .notAServer(let text): "names the server \(QuotedText.quote(text)), which is not an IP address"
        case .urlAlone: "is a URL, but the kind of probe before it is missing"
        case .badURL(let problem): problem.description
        case .notAnExpectation(let text):
            "has \(QuotedText.quote(text)) after its URL, which is neither status=NUMBER nor body=TEXT"
        case .notAStatus(let text, let range):
            "has the status \(QuotedText.quote(text)), which is not between \(range.lowerBound)"
                + " and \(range.upperBound)"
        case .notABody(let longest):
            "has a TEXT after body= that is empty, longer than \(longest) bytes, or not one line"
        case .pathMissing: "names no program"
        case .pathNotAbsolute(let text): "names \(QuotedText.quote(text)), which is not an absolute path"
        case .notAPath(let text): "names \(QuotedText.quote(text)), which is not the path of a file"
        case .notAbsolute: "is neither an absolute path nor 'none'"
        case .notAUser: "is not the name of a user"
        case .notAMoment: "is neither a duration nor a day nor a time with its zone"
        case .bracketsMissing: "has an IPv6 address without brackets before the port"
        }
    }

    /// An example that fits the mistake better than the option's own example; nil: there is none.
    var example: String? {
        switch self {
        case .bracketsMissing: "tcp:[2001:db8::1]:443"
        case .hostMissing, .portMissing, .notAPort: "tcp:192.0.2.1:443"
        case .nameMissing, .notAName, .notAServer: "dns:example.net@192.0.2.53"
        case .urlAlone, .badURL: "http:http://example.net/generate_204"
        case .notAnExpectation, .notAStatus: "http:http://example.net/ status=200"
        case .notABody: "http:http://example.net/ body=Example"
        case .pathMissing, .pathNotAbsolute, .notAPath: "command:/usr/local/bin/check"
        case .notAHook: "bounce,hook:/usr/local/sbin/heal-wifi"
        case .rebootIsAlone: "auto,reboot"
        case .notAnAddress: "neighbour:192.0.2.1"
        case .notYesOrNo: "yes"
        case .noneIsAlone, .noneIsRequired: "none"
        case .notBesideAutomatic: "auto,reset"
        case .layerNeverBounced: "association,address,gateway"
        case .belowBackoff(let backoff): DurationText.format(backoff)
        case .unknownDay: "mon-fri 22:00-06:30"
        case .unknownProbe(.some), .unknownMethod(.some), .empty, .notADuration, .tooLong, .tooShort,
            .notANumber, .outOfRange, .unknownMethod(nil), .unknownProbe(nil), .unknownLayer, .unknownLog,
            .methodTakesNothing, .probeTakesNothing, .notAHost, .notAbsolute, .notAUser, .notAWindow,
            .notATime, .emptyWindow, .notAMoment, .notPowerSave:
            nil
        }
    }

    static func meant(_ suggestion: String?) -> String {
        suggestion.map { "; did you mean '\($0)'?" } ?? ""
    }
}
