import Firn
import FirnModel
import Foundation
import TestSupport
import Testing

/// A catalogue that is shipped, and notes of the user, each in a store of its own by the model's configurations.
@Suite("Tutorials: several stores by configuration")
struct ConfigurationTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// The catalogue's store is added first. Its entities have no relationship to the others, as Core Data requires.
    private func container() throws -> NSPersistentContainer {
        let product = ModelSketch.entity("Product", [ModelSketch.attribute("name")])
        let note = ModelSketch.entity("Note", [ModelSketch.attribute("text"), ModelSketch.attribute("productURI")])
        let tag = ModelSketch.entity("Tag", [ModelSketch.attribute("label")])
        ModelSketch.relate(tag, "notes", toMany: note, "tag")
        let model = ModelSketch.model(product, note, tag)
        model.setEntities([product], forConfigurationName: "Catalogue")
        model.setEntities([note, tag], forConfigurationName: "Notes")
        let container = NSPersistentContainer(name: "Shop", managedObjectModel: model)
        container.persistentStoreDescriptions = ["Catalogue", "Notes"].map {
            let description = NSPersistentStoreDescription(url: directory.file("\($0).sqlite"))
            description.configuration = $0
            return description
        }
        var errors: [any Error] = []
        container.loadPersistentStores { _, error in error.map { errors.append($0) } }
        if let error = errors.first { throw error }
        return container
    }

    @Test("each new object is saved into the store of its configuration")
    func stores() throws {
        let context = try container().newBackgroundContext()
        try context.performAndWait {
            let note = context.make("Note", ["text": "buy"])
            let objects = [
                context.make("Product", ["name": "Lamp"]), note,
                context.make("Tag", ["label": "soon", "notes": Set([note])]),
            ]
            try context.save()
            let configurations = objects.map { $0.objectID.persistentStore?.configurationName }
            #expect(configurations == ["Catalogue", "Notes", "Notes"])
        }
    }

    @Test("a note leads to its product by the URI of its ID, after both stores were opened again")
    func crossing() throws {
        let first = try container().newBackgroundContext()
        try first.performAndWait {
            let product = first.make("Product", ["name": "Lamp"])
            try first.obtainPermanentIDs(for: [product])
            _ = first.make("Note", ["text": "buy", "productURI": product.objectID.uriRepresentation().absoluteString])
            try first.save()
        }
        let container = try container()
        let context = container.newBackgroundContext()
        try context.performAndWait {
            let note = try #require(try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Note")).first)
            let uri = try #require(note.text("productURI").flatMap { URL(string: $0) })
            let id = try #require(container.persistentStoreCoordinator.managedObjectID(forURIRepresentation: uri))
            #expect(try context.existingObject(with: id).text("name") == "Lamp")
        }
    }
}
