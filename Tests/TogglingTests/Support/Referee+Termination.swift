@testable import Model
@testable import Toggling

extension Referee {
    /// The end of the toggler's run.
    struct Termination: Hashable {
        private(set) var isRequested = false
        private(set) var isFinished = false
        /// How often the toggler has tried to raise the link since the request.
        private var raises = 0

        private static let mostRaises = 2

        mutating func requested() { isRequested = true }

        mutating func finished() { isFinished = true }

        /// The rules that an attempt to raise the link breaks.
        mutating func judgeRaise() -> [String] {
            if isRequested { raises += 1 }
            return raises > Self.mostRaises ? ["raises again and again where it was told to end"] : []
        }

        /// The rules that the state after an event breaks.
        func judge(_ state: TogglerState) -> [String] {
            isRequested && !state.isEnding ? ["the termination is forgotten"] : []
        }
    }
}
