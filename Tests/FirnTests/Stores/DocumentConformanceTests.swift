import CoreDataExtras
import Firn
import FirnModel
import Foundation
import TestSupport
import Testing

@Suite("Documents")
struct DocumentConformanceTests {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func untitled(_ type: NSPersistentStore.StoreType) throws -> Document {
        try Document(model: Library.model(), type: type, concurrencyType: .privateQueueConcurrencyType)
    }

    private func opened(_ name: String, _ type: NSPersistentStore.StoreType) throws -> Document {
        try Document(
            contentsOf: directory.file(name), model: Library.model(), type: type,
            concurrencyType: .privateQueueConcurrencyType)
    }

    private func names(_ name: String, _ type: NSPersistentStore.StoreType) throws -> Set<String> {
        let document = try opened(name, type)
        return try document.context.performAndWait { try document.context.strings("Author", "name") }
    }

    /// On the queue of the document's context: there the undo manager ends its groups.
    private func on(_ document: Document, _ body: (NSManagedObjectContext) throws -> Void) rethrows {
        try document.context.performAndWait { try body(document.context) }
    }

    static let types = [NSPersistentStore.StoreType.sqlite, .binary]

    @Test("h.13 an untitled document becomes a file with its first save, and goes on there", arguments: types)
    func untitled(type: NSPersistentStore.StoreType) throws {
        let document = try untitled(type)
        try on(document) { context in
            let ada = context.make("Author", ["name": "Ada"])
            #expect(document.fileURL == nil)
            #expect(document.isDocumentEdited)
            #expect(throws: NSError.self) { try document.save() }
            try document.save(to: directory.file("One"))
            #expect(document.fileURL == directory.file("One"))
            #expect(!document.isDocumentEdited)
            ada.setValue("Eve", forKey: "name")
            try document.save()
            #expect(try names("One", type) == ["Eve"])
        }
    }

    @Test("h.13 saving elsewhere takes along what was changed, and leaves the first file as it was", arguments: types)
    func elsewhere(type: NSPersistentStore.StoreType) throws {
        let document = try untitled(type)
        try on(document) { context in
            let ada = context.make("Author", ["name": "Ada"])
            try document.save(to: directory.file("One"))
            ada.setValue("Eve", forKey: "name")
            try document.save(to: directory.file("Two"))
            #expect(try names("One", type) == ["Ada"])
            #expect(try names("Two", type) == ["Eve"])
            #expect(ada.text("name") == "Eve")
            let error = #expect(throws: NSError.self) { try document.save(to: directory.file("One")) }
            #expect(error?.code == NSPersistentStoreOperationError)
            #expect(document.fileURL == directory.file("Two"))
        }
    }

    @Test("h.13 what is not valid is not saved elsewhere: the document stays where it is", arguments: types)
    func invalid(type: NSPersistentStore.StoreType) throws {
        let model = ModelSketch.model(ModelSketch.entity("Author", [ModelSketch.attribute("name", optional: false)]))
        let document = try Document(model: model, type: type, concurrencyType: .privateQueueConcurrencyType)
        try on(document) { context in
            let ada = context.make("Author")
            let error = #expect(throws: NSError.self) { try document.save(to: directory.file("One")) }
            #expect(error?.code == NSValidationMissingMandatoryPropertyError)
            #expect(document.fileURL == nil)
            ada.setValue("Ada", forKey: "name")
            try document.save(to: directory.file("One"))
            #expect(document.fileURL == directory.file("One"))
        }
    }

    @Test("h.13 a document changes its type when it is saved as another one")
    func otherType() throws {
        let document = try untitled(.sqlite)
        try on(document) { context in
            _ = context.make("Author", ["name": "Ada"])
            try document.save(to: directory.file("One"))
            try document.save(to: directory.file("Two"), type: .binary)
            #expect(document.fileType == .binary)
            #expect(try names("Two", .binary) == ["Ada"])
        }
    }

    @Test("h.13 reverting gives what was saved last", arguments: types)
    func reverting(type: NSPersistentStore.StoreType) throws {
        let document = try untitled(type)
        try on(document) { context in
            let ada = context.make("Author", ["name": "Ada"])
            try document.save(to: directory.file("One"))
            ada.setValue("Eve", forKey: "name")
            _ = context.make("Author", ["name": "Bob"])
            try document.revert()
            #expect(!document.isDocumentEdited)
            #expect(try context.strings("Author", "name") == ["Ada"])
            #expect(context.undoManager?.canUndo == false)
        }
    }

    @Test("h.13 opening a file that is not there fails, and makes none")
    func missing() throws {
        #expect(throws: NSError.self) { try opened("No", .sqlite) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path).isEmpty)
    }

    @Test("h.13 a closed document lets go of its file")
    func closing() throws {
        let document = try untitled(.sqlite)
        try document.save(to: directory.file("One"))
        try document.close()
        #expect(document.coordinator.persistentStores.isEmpty)
    }
}
