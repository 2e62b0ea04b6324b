import Firn
import FirnModel
import FirnSQLite
import Foundation
import StoreSupport
import TestSupport
import Testing

/// Counts its like when it is read: a fetch within a fetch.
final class Curious: NSManagedObject {
    var seen = 0

    override func awakeFromFetch() {
        guard value(forKey: "age") as? Int == 0, let context = managedObjectContext else { return }
        seen = (try? context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Author"))) ?? -1
    }
}

/// More rows than are read at a time: another thread reads the later ones while objects are made of those before.
@Suite("A large fetch")
struct LargeFetchTests {
    private static let count = 20_000
    private let directory: TemporaryDirectory
    private let contexts: [NSManagedObjectContext]

    /// One store in a file, one in memory, with authors of which each third is a poet, in no order of their ages.
    init() throws {
        directory = try TemporaryDirectory()
        let model = Library.model()
        for name in ["Author", "Poet"] { model.entitiesByName[name]?.managedObjectClassName = "FirnTests.Curious" }
        let inFile = NSPersistentStoreCoordinator(managedObjectModel: model)
        _ = try inFile.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: directory.file("Library.sqlite"))
        contexts = [inFile.context(), try Library.inMemory(model).context()]
        for context in contexts {
            try context.performAndWait {
                for number in 0..<Self.count {
                    // 7 and the number of rows have no common factor: each age occurs once.
                    let age = number * 7 % Self.count
                    _ = context.make(
                        number % 3 == 0 ? "Poet" : "Author", ["age": age, "name": "author \(age)"])
                }
                try context.save()
                context.reset()
            }
        }
    }

    private func request<Result>(_ type: Result.Type = Result.self) -> NSFetchRequest<Result> {
        let request = NSFetchRequest<Result>(entityName: "Author")
        request.sortDescriptors = [NSSortDescriptor(key: "age", ascending: true)]
        return request
    }

    @Test("gives all objects in order, those of subentities among them", arguments: [true, false])
    func order(asFaults: Bool) throws {
        for context in contexts {
            try context.performAndWait {
                let request = request(NSManagedObject.self)
                request.returnsObjectsAsFaults = asFaults
                let found = try context.fetch(request)
                #expect(found.allSatisfy { $0.isFault == asFaults })
                #expect(found.map { $0.value(forKey: "age") as? Int } == Array(0..<Self.count))
                #expect(found.map { $0.text("name") } == (0..<Self.count).map { "author \($0)" })
                #expect(found.count { $0.entity.name == "Poet" } == (Self.count + 2) / 3)
            }
        }
    }

    @Test("gives all IDs in order, and some properties where only some are asked for")
    func otherForms() throws {
        for context in contexts {
            try context.performAndWait {
                let ids = request(NSManagedObjectID.self)
                ids.resultType = .managedObjectIDResultType
                let some = request(NSManagedObject.self)
                some.propertiesToFetch = ["name"]
                let objects = try context.fetch(some)
                #expect(try context.fetch(ids) == objects.map(\.objectID))
                #expect(objects.map { $0.text("name") } == (0..<Self.count).map { "author \($0)" })
            }
        }
    }

    @Test("may be asked for in the middle of another one's awakening")
    func nested() throws {
        for context in contexts {
            try context.performAndWait {
                let request = request(NSManagedObject.self)
                request.returnsObjectsAsFaults = false
                let found = try context.fetch(request)
                #expect((found.first as? Curious)?.seen == Self.count)
            }
        }
    }

    @Test("tells what is wrong with a row in the middle")
    func damage() throws {
        let context = contexts[0]
        try context.performAndWait {
            _ = try context.fetch(request(NSManagedObject.self))
            context.reset()
        }
        let tables = try Connection(.file(directory.file("Library.sqlite").path), mode: .readWrite)
        try tables.execute("UPDATE Author SET Z_ENT = 999 WHERE age = 15000")
        // A read may continue the transaction of the one before for a moment, unless something is saved.
        try context.performAndWait {
            _ = context.make("Book", ["title": "Notes"])
            try context.save()
        }
        #expect(throws: (any Error).self) {
            try context.performAndWait { _ = try context.fetch(request(NSManagedObject.self)) }
        }
    }
}
