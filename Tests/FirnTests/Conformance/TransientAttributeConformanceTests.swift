import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

/// Section (c): the values of transient attributes with a default.
@Suite("Conformance (c): transient attributes")
struct TransientAttributeConformanceTests {
    private static let kinds: [(name: String, type: NSAttributeType, value: any Sendable & Hashable)] = [
        ("flag", .booleanAttributeType, true), ("count", .integer32AttributeType, 7),
        ("ratio", .doubleAttributeType, 0.5), ("text", .stringAttributeType, "new"),
        ("date", .dateAttributeType, Date(timeIntervalSinceReferenceDate: 5)),
        ("data", .binaryDataAttributeType, Data([1, 2])), ("price", .decimalAttributeType, Decimal(string: "1.5")!),
        ("link", .URIAttributeType, URL(string: "https://example.com")!), ("id", .UUIDAttributeType, UUID()),
    ]

    private let directory: TemporaryDirectory
    private let model: NSManagedObjectModel

    init() throws {
        directory = try TemporaryDirectory()
        let note = ModelSketch.entity("Note", [ModelSketch.attribute("title")])
        for (name, type, value) in Self.kinds {
            let attribute = ModelSketch.attribute(name, type)
            attribute.isTransient = true
            attribute.defaultValue = value
            note.properties.append(attribute)
        }
        model = ModelSketch.model(note)
    }

    private func coordinator(_ type: String) throws -> NSPersistentStoreCoordinator {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        _ = try coordinator.addPersistentStore(
            ofType: type, configurationName: nil, at: directory.file("Notes.\(type)"), options: nil)
        return coordinator
    }

    private func values(_ object: NSManagedObject) -> [AnyHashable?] {
        Self.kinds.map { object.value(forKey: $0.name) as? AnyHashable }
    }

    /// [CDP]
    @Test(
        "c.5 a transient attribute of a fetched or refreshed object has its default value",
        arguments: [NSInMemoryStoreType, NSSQLiteStoreType, NSBinaryStoreType])
    func defaults(_ type: String) throws {
        let coordinator = try coordinator(type)
        let first = coordinator.context()
        let made = first.make("Note", ["title": "a"])
        let expected = values(made)
        #expect(!expected.contains(nil))
        try first.save()
        let context = coordinator.context()
        let note = try context.all("Note")[0]
        #expect(values(note) == expected)
        for (name, _, _) in Self.kinds { note.setValue(nil, forKey: name) }
        #expect(values(note).allSatisfy { $0 == nil })
        context.refresh(note, mergeChanges: false)
        #expect(values(note) == expected)
        for (name, _, _) in Self.kinds { note.setPrimitiveValue(nil, forKey: name) }
        context.refreshAllObjects()
        #expect(values(note) == expected)
        let child = context.makeChild()
        #expect(values(try child.all("Note")[0]) == expected)
    }

    @Test("c.5 a default that was replaced by nil stays away over a save and a merging refresh")
    func replaced() throws {
        let coordinator = try coordinator(NSInMemoryStoreType)
        let context = coordinator.context()
        let note = context.make("Note", ["title": "a"])
        note.setValue(nil, forKey: "text")
        try context.save()
        #expect(note.value(forKey: "text") == nil)
        context.refresh(note, mergeChanges: true)
        #expect(note.value(forKey: "text") == nil)
    }
}
