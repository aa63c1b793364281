@testable import Model
@testable import Toggling

extension Referee {
    /// The toggler's queries for the kernel state, and its probes.
    struct Queries: Hashable {
        let runMode: RunMode
        /// The number of the last kernel state.
        private(set) var newestKernelState = 0
        /// How old signs of liveness may be that were requested with it; nil: they were not requested.
        private(set) var livenessWindow: Duration?
        private var gatewayEchoes: GatewayEchoes

        init(_ runMode: RunMode, hasEchoed: Bool) {
            self.runMode = runMode
            gatewayEchoes = GatewayEchoes(hasAnswered: hasEchoed)
        }

        /// Without times and numbers, to compare worlds.
        var timeless: Queries {
            var other = self
            other.newestKernelState = 0
            other.livenessWindow = livenessWindow.map { _ in .zero }
            other.gatewayEchoes.asked = []
            return other
        }

        mutating func finished(_ id: Int, _ result: ProbeResult) { gatewayEchoes.finished(id, result) }

        /// The rules that a query for the kernel state breaks.
        /// - Parameter isInterfaceOurs: whether a method of the toggler may have removed the interface.
        mutating func judgeKernelState(
            _ number: Int, with details: KernelState.Details, under settings: Settings, isOpen: Bool,
            isInterfaceOurs: Bool
        ) -> [String] {
            defer { newestKernelState = number }
            if details.lossOfInterface {
                return (number <= newestKernelState ? ["state \(number) is not new"] : [])
                    + (isInterfaceOurs && runMode == .watch ? [] : judgeLoss(under: settings))
            }
            livenessWindow = details.livenessWithin
            return number < newestKernelState || isOpen ? ["state \(number) is not new"] : []
        }

        /// Only what may reset the device looks for a lost interface.
        private func judgeLoss(under settings: Settings) -> [String] {
            let isMeant =
                runMode == .toggle
                ? settings.methods == [.reset]
                : runMode == .watch && settings.methods.isEmpty && !settings.isForced
            let isWanted = isMeant && !settings.isDryRun
            return isWanted ? [] : ["looks for an interface although it would not bring it back"]
        }

        mutating func judgeStart(_ request: ProbeRequest, open: [Effect]) -> [String] {
            gatewayEchoes.begun(request)
            return open.contains { $0.probe == request.id } ? ["two probes \(request.id)"] : []
        }

        func judgeCancellation(_ id: Int, open: [Effect]) -> [String] {
            open.contains { $0.probe == id } ? [] : ["cancels probe \(id), which nobody runs"]
        }

        /// The rules that the verdict of a cycle breaks.
        func judge(_ verdict: Verdict) -> [String] { gatewayEchoes.judge(verdict, runMode) }
    }
}
