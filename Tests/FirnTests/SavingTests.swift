import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

@Suite("Saving and fetching")
struct SavingTests {
    @Test("every attribute type comes back as it was saved")
    func attributesRoundTrip() throws {
        let coordinator = try Library.inMemory()
        let values: [String: Any] = [
            "name": "Ada \u{0} Lovelace ☃︎ 雪", "age": Int16.min, "born": Date(timeIntervalSinceReferenceDate: -5.25),
            "isAlive": true, "height": 1.7e-300, "portrait": Data([0, 1, 255]),
            "worth": NSDecimalNumber(string: "12345678901234567890.123456789"),
            "homepage": URL(string: "https://example.org/a?b=c#d")!, "id": UUID(),
        ]
        let writer = coordinator.context()
        _ = writer.make("Author", values)
        try writer.save()
        let reader = coordinator.context()
        defer { withExtendedLifetime(reader) {} }
        let author = try #require(try reader.all("Author").first)
        for (key, value) in values {
            let read = author.value(forKey: key)
            #expect((read as? NSObject) == (value as? NSObject), "\(key)")
        }
    }

    @Test("numbers are read as the type the caller asks for")
    func numbersBridge() throws {
        let context = try Library.inMemory().context()
        let author = context.make("Author", ["age": 36, "isAlive": 1])
        #expect(author.value(forKey: "age") as? Int == 36)
        #expect(author.value(forKey: "age") as? Int16 == 36)
        #expect(author.value(forKey: "isAlive") as? Bool == true)
    }

    @Test("a saved object has a permanent ID, which finds it in another context")
    func permanentIDs() throws {
        let coordinator = try Library.inMemory()
        let context = coordinator.context()
        let author = context.make("Author", ["name": "Ada"])
        #expect(author.objectID.isTemporaryID)
        try context.save()
        #expect(!author.objectID.isTemporaryID)
        #expect(!author.hasChanges)
        let other = coordinator.context()
        let found = try other.existingObject(with: author.objectID)
        #expect(found.value(forKey: "name") as? String == "Ada")
        let id = coordinator.managedObjectID(forURIRepresentation: author.objectID.uriRepresentation())
        #expect(id == author.objectID)
    }

    @Test("one instance stands for one ID in a context")
    func uniquing() throws {
        let coordinator = try Library.inMemory()
        let context = coordinator.context()
        _ = context.make("Author", ["name": "Ada"])
        try context.save()
        let other = coordinator.context()
        let first = try #require(try other.all("Author").first)
        let second = try #require(try other.all("Author").first)
        #expect(first === second)
        #expect(other.object(with: first.objectID) === first)
    }

    @Test("a fetch lays unsaved changes over what the store has")
    func overlay() throws {
        let coordinator = try Library.inMemory()
        let context = coordinator.context()
        let ada = context.make("Author", ["name": "Ada", "age": 36])
        let bob = context.make("Author", ["name": "Bob", "age": 50])
        let cid = context.make("Author", ["name": "Cid", "age": 60])
        try context.save()
        ada.setValue(70, forKey: "age")
        cid.setValue(20, forKey: "age")
        context.delete(bob)
        let dee = context.make("Author", ["name": "Dee", "age": 55])
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        request.predicate = NSPredicate(format: "age > 40")
        request.sortDescriptors = [NSSortDescriptor(key: "age", ascending: false)]
        #expect(try context.fetch(request) == [ada, dee])
        request.fetchOffset = 1
        #expect(try context.fetch(request) == [dee])
        #expect(try context.count(for: request) == 1)
        request.includesPendingChanges = false
        request.fetchOffset = 0
        #expect(Set(try context.fetch(request)) == [bob, cid])
    }

    @Test("objects of subentities are found through their superentity, with their own class of values")
    func inheritance() throws {
        let coordinator = try Library.inMemory()
        let context = coordinator.context()
        _ = context.make("Author", ["name": "Ada"])
        _ = context.make("Poet", ["name": "Sappho", "meter": "sapphic"])
        try context.save()
        let other = coordinator.context()
        #expect(try other.strings("Author", "name") == ["Ada", "Sappho"])
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        request.includesSubentities = false
        #expect(try other.fetch(request).map { $0.value(forKey: "name") as? String } == ["Ada"])
        let poet = try #require(try other.all("Poet").first)
        #expect(poet.value(forKey: "meter") as? String == "sapphic")
        #expect(poet.entity.name == "Poet")
    }

    @Test("rollback brings back what was saved")
    func rollback() throws {
        let context = try Library.inMemory().context()
        let ada = context.make("Author", ["name": "Ada"])
        try context.save()
        ada.setValue("Eve", forKey: "name")
        let new = context.make("Author", ["name": "New"])
        context.rollback()
        #expect(ada.value(forKey: "name") as? String == "Ada")
        #expect(new.managedObjectContext == nil)
        context.delete(ada)
        context.rollback()
        #expect(!ada.isDeleted)
        #expect(!context.hasChanges)
        #expect(try context.all("Author") == [ada])
    }

    @Test("a transient value survives the save and never reaches the store")
    func transient() throws {
        let coordinator = try Library.inMemory()
        let context = coordinator.context()
        let ada = context.make("Author", ["name": "Ada", "nickname": "Countess"])
        try context.save()
        #expect(ada.value(forKey: "nickname") as? String == "Countess")
        let other = coordinator.context()
        #expect(try other.existingObject(with: ada.objectID).value(forKey: "nickname") == nil)
        withExtendedLifetime(other) {}
    }
}
