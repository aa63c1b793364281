import Testing

@testable import Model
@testable import Toggling

@Suite("some of the layers") struct LayerSetTests {
    @Test("it holds what was put in, and nothing else", arguments: Layer.allCases)
    func holds(layer: Layer) {
        var grown: LayerSet = []
        grown.insert(layer)
        let rest = Layer.allCases.filter { $0 != layer }
        for set in [LayerSet([layer]), [layer, layer], grown] {
            #expect(set.contains(layer) && !rest.contains(where: set.contains))
            #expect(set == LayerSet([layer]) && set != LayerSet(rest) && set != [])
        }
        #expect(!LayerSet(rest).contains(layer) && rest.allSatisfy(LayerSet(rest).contains))
    }
}
