import FirnModel
import TestSupport
import Testing

/// Models made in code survive their own document.
@Suite struct RoundTripTests {
    @Test("A random model is good, and equal to what reading its document gives")
    func random() throws {
        let generator = SeededGenerator()
        var models = RandomModel(generator)
        for number in 0..<200 {
            let model = models.make()
            #expect(model.validate() == [], "\(generator) model \(number)")
            let document = model.xcdatamodelContents()
            let again = try NSManagedObjectModel.load(document: document, name: "model \(number)")
            let differences = model.differences(to: again.model).map(\.description)
            #expect(differences == [], "\(generator) model \(number)")
            #expect(again.warnings.map(\.description) == [], "\(generator) model \(number)")
            #expect(again.model.xcdatamodelContents() == document, "\(generator) model \(number)")
            #expect(
                model.versionChecksum == again.model.versionChecksum, "\(generator) model \(number)"
            )
        }
    }

    @Test("A copy of a random model is equal to it, and gives the same document")
    func copies() throws {
        let generator = SeededGenerator()
        var models = RandomModel(generator)
        for number in 0..<100 {
            let model = models.make()
            let copy = try #require(model.copy() as? NSManagedObjectModel)
            #expect(
                model.differences(to: copy).map(\.description) == [], "\(generator) model \(number)"
            )
            #expect(
                model.xcdatamodelContents() == copy.xcdatamodelContents(),
                "\(generator) model \(number)")
        }
    }

    @Test("The document does not depend on the order in which a model is put together")
    func canonical() {
        let (one, two) = (entity("A", [attribute("x"), attribute("y")]), entity("B"))
        let (three, four) = (entity("A", [attribute("y"), attribute("x")]), entity("B"))
        #expect(
            model([one, two]).xcdatamodelContents() == model([four, three]).xcdatamodelContents())
    }
}
