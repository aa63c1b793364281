import Service

/// That files in the state directory cannot be read or written is told once, whoever meets it first: nothing depends
/// on them.
final class StateComplaint {
    private let desk: Desk
    private var isMade = false

    init(_ desk: Desk) { self.desk = desk }

    func make(_ words: String) {
        if !isMade { desk.note(.warning, words) }
        isMade = true
    }
}
