import Invocation
import Model

/// The text of a driver file, and the look-up in the rules that follow from it.
enum DriverFiles {
    private static let path = "fuzz.conf"

    static func take(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        let rules: [DriverRule]
        do throws(DriverFileError) {
            rules = try DriverFile.parse(text, path: path)
        } catch {
            let lines = bytes.count { $0 == UInt8(ascii: "\n") } + 1
            demand((1...lines).contains(error.line), "line \(error.line) of \(lines)")
            demandPrintable(error.description)
            demand(
                error.description.hasPrefix("\(path):\(error.line): "),
                "not in its place: \(error.description)")
            return
        }
        // A text without sections changes nothing.
        let more = text + "\r\n\n# the end\n \t; of it\n"
        demand((try? DriverFile.parse(more, path: path)) == rules, "comments at the end change it")
        let (installed, own) = (DriverTable(installed: rules), DriverTable(own: rules))
        for rule in rules {
            for text in [rule.name.driver, rule.name.bus, rule.fault, rule.remedy, rule.source].compactMap(
                \.self)
            {
                demandPrintable(text)
            }
            demand(installed.rule(for: rule.name) == own.rule(for: rule.name), "\(rule.name)")
            // A name that ends with * is a pattern of itself.
            demand(installed.rule(for: rule.name) != nil, "\(rule.name) is not found")
            demand(
                DriverTable(installed: rules, own: rules) == own, "the same rules do not replace themselves")
        }
    }
}
