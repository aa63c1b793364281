import Testing

@testable import Model
@testable import Toggling

@Suite("Sets of layers") struct LayerSetTests {
    @Test("a set contains the layers that were inserted, and no others", arguments: Layer.allCases)
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
