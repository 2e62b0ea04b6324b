import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

/// Section (d): fetches while the context has unsaved changes, and what they may return.
@Suite("Conformance (d): fetches and unsaved changes")
struct PendingFetchConformanceTests {
    let context: NSManagedObjectContext

    init() throws {
        context = try Library.inMemory().context()
        for (name, age) in [("alpha", 1), ("bravo", 2), ("delta", 4)] {
            _ = context.make("Author", ["name": name, "age": age])
        }
        _ = context.make("Poet", ["name": "poet", "age": 9])
        try context.save()
    }

    private func request(_ format: String = "age < 9") -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        request.predicate = NSPredicate(format: format)
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        return request
    }

    private func names(_ request: NSFetchRequest<NSManagedObject>) throws -> [String?] {
        try context.fetch(request).map { $0.text("name") }
    }

    private func author(_ name: String) throws -> NSManagedObject {
        try #require(try context.all("Author").first { $0.text("name") == name })
    }

    /// [FCD] Matching inserts come in, deletes and updates that no longer match go, updates that now match come in.
    @Test("d.2 a fetch finds what matches now, with the values that it has now")
    func overlay() throws {
        _ = context.make("Author", ["name": "charlie", "age": 3])
        context.delete(try author("alpha"))
        try author("bravo").setValue(20, forKey: "age")
        try author("poet").setValue(5, forKey: "age")
        try author("delta").setValue("dora", forKey: "name")
        #expect(try names(request()) == ["charlie", "dora", "poet"])
        #expect(try context.count(for: request()) == 3)
    }

    /// [FCD] Membership comes from the store, values from memory.
    @Test("d.3 without includesPendingChanges the store decides what is found, not what it holds")
    func storeOnly() throws {
        _ = context.make("Author", ["name": "charlie", "age": 3])
        try author("bravo").setValue("bruno", forKey: "name")
        try author("delta").setValue(20, forKey: "age")
        let request = request()
        request.includesPendingChanges = false
        #expect(try names(request) == ["alpha", "bruno", "delta"])
    }

    /// [AD][FCD]
    @Test("d.3 dictionaries tell what the store has")
    func dictionaries() throws {
        _ = context.make("Author", ["name": "charlie", "age": 3])
        try author("bravo").setValue("bruno", forKey: "name")
        let request = NSFetchRequest<NSDictionary>(entityName: "Author")
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = ["name"]
        let names = Set(try context.fetch(request).compactMap { $0["name"] as? String })
        #expect(names == ["alpha", "bravo", "delta", "poet"])
    }

    /// [FCD] has alpha and charlie, as the window is cut in the store and changes are laid over it.
    @Test("d.4 the window is that of the list with the changes in it")
    func window() throws {
        _ = context.make("Author", ["name": "charlie", "age": 3])
        let request = request()
        (request.fetchOffset, request.fetchLimit) = (2, 2)
        #expect(try names(request) == ["charlie", "delta"])
    }

    @Test("A window without sort descriptors is one of the keys in order")
    func windowOfKeys() throws {
        let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Author")
        ids.resultType = .managedObjectIDResultType
        (ids.fetchOffset, ids.fetchLimit) = (1, 3)
        _ = context.make("Author", ["name": "echo"])
        try context.save()
        let stored = try context.fetch(ids)
        _ = context.make("Author", ["name": "new"])
        try author("alpha").setValue("altered", forKey: "name")
        #expect(try context.fetch(ids) == stored)
        let objects = NSFetchRequest<NSManagedObject>(entityName: "Author")
        (objects.fetchOffset, objects.fetchLimit) = (1, 3)
        #expect(try context.fetch(objects).map(\.objectID) == stored)
    }

    /// [FCD] leaves new objects' temporary IDs at the end.
    @Test("d.5 object IDs come in the order of the objects, temporary ones too")
    func ids() throws {
        let charlie = context.make("Author", ["name": "charlie", "age": 3])
        let ids = request().withResultType(NSManagedObjectID.self)
        ids.resultType = .managedObjectIDResultType
        let found = try context.fetch(ids)
        #expect(found.map { context.object(with: $0).text("name") } == ["alpha", "bravo", "charlie", "delta"])
        #expect(found[2] == charlie.objectID && charlie.objectID.isTemporaryID)
    }

    /// [H][FCD]
    @Test("d.6 without includesSubentities neither stored nor new objects of subentities are found")
    func subentities() throws {
        _ = context.make("Poet", ["name": "novice", "age": 1])
        let request = request("TRUEPREDICATE")
        #expect(try names(request) == ["alpha", "bravo", "delta", "novice", "poet"])
        request.includesSubentities = false
        #expect(try names(request) == ["alpha", "bravo", "delta"])
    }

    /// [H][FCD]
    @Test("d.10 a count is an array of one number, and what a fetch would return")
    func count() throws {
        context.delete(try author("alpha"))
        let request = request().withResultType(NSNumber.self)
        request.resultType = .countResultType
        #expect(try context.fetch(request) == [2])
        let limited = self.request()
        limited.fetchLimit = 1
        #expect(try context.count(for: limited) == 1)
    }
}
