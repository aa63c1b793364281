extension Unicode.Scalar {
    /// Whether the character controls a terminal, ends a line, or changes how others are shown. The name of a
    /// network or an interface may contain such characters.
    var isControlling: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
