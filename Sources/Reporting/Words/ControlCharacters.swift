extension Unicode.Scalar {
    /// Whether it controls a terminal, ends a line, or changes how others are shown: the name of a network or an
    /// interface may contain it.
    var isControlling: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
