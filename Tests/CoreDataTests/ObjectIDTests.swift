import CoreData
import Testing

class ShelfAuthor: NSManagedObject {}
class ShelfBook: NSManagedObject {}

@Suite struct ObjectIDTests {
    private struct Answer: Codable, Equatable { let id: ObjectID<ShelfBook> }

    /// A container with a store in memory.
    private static func container() throws -> NSPersistentContainer {
        let model = NSManagedObjectModel()
        model.entities = ["Author", "Book"].map { name in
            let entity = NSEntityDescription()
            (entity.name, entity.managedObjectClassName) = (name, "CoreDataTests.Shelf" + name)
            return entity
        }
        let container = NSPersistentContainer(name: "Shelf", managedObjectModel: model)
        let description = NSPersistentStoreDescription()
        description.type = NSInMemoryStoreType
        container.persistentStoreDescriptions = [description]
        container.loadPersistentStores { if let error = $1 { fatalError("\(error)") } }
        return container
    }

    private let container: NSPersistentContainer
    private let context: NSManagedObjectContext
    private let book: ShelfBook

    init() throws {
        container = try Self.container()
        context = container.newBackgroundContext()
        book = try context.performAndWait { [context] in
            let book = ShelfBook(context: context)
            try context.save()
            return book
        }
    }

    /// Checks why an identifier leads to nothing.
    private func expect<T>(_ id: ObjectID<T>, fails code: ObjectIDError.Code, in context: NSManagedObjectContext) {
        context.performAndWait {
            let error = #expect(throws: ObjectIDError.self) { try context.object(id) }
            #expect(error?.code == code)
            #expect(error?.localizedDescription.hasPrefix("\(id) ") == true)
        }
    }

    @Test("An identifier leads to its object in another context, by way of JSON")
    func json() throws {
        let (id, key) = context.performAndWait { (book.typedID, book.objectID) }
        let data = try JSONEncoder().encode(Answer(id: id))
        #expect(String(decoding: data, as: UTF8.self).hasSuffix(#".Book.p1"}"#))
        let decoded = try JSONDecoder().decode(Answer.self, from: data).id
        #expect(decoded == id)
        #expect(decoded.uriRepresentation == key.uriRepresentation())
        let other = container.newBackgroundContext()
        try other.performAndWait {
            let found: ShelfBook = try other.object(decoded)
            #expect(found.objectID == key)
        }
    }

    @Test("A text is an identifier if it is that of a saved object")
    func text() throws {
        let id = context.performAndWait { book.typedID }
        #expect(ObjectID<ShelfBook>("\(id)") == id)
        let store = UUID().uuidString
        #expect(ObjectID<ShelfBook>("\(store).Book.p12") != nil)
        let bad = [
            "", "p1", "Book.p1", "\(store).Book", "\(store).Book.", "\(store).Book.p", "\(store).Book.1",
            "\(store).Book.t\(store)", "shelf.Book.p1", "\(store)..p1", "\(store).Book/p1.p2",
            "x-coredata://\(store)/Book/p1",
        ]
        for text in bad { #expect(ObjectID<ShelfBook>(text) == nil, "\(text)") }
        let error = #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(Answer.self, from: Data(#"{"id": "p1"}"#.utf8))
        }
        #expect("\(try #require(error))".contains("“p1” is no identifier"))
    }

    @Test("The identifier of an unsaved object is not encoded, and leads nowhere")
    func temporary() throws {
        let id = context.performAndWait { ShelfBook(context: context).typedID }
        #expect(id.isTemporary)
        let error = #expect(throws: EncodingError.self) { try JSONEncoder().encode(id) }
        #expect("\(try #require(error))".contains("the identifier of an unsaved Book is temporary"))
        expect(id, fails: .temporary, in: context)
    }

    @Test("An identifier of another class leads nowhere")
    func otherClass() throws {
        let id = context.performAndWait { book.typedID }
        expect(try #require(ObjectID<ShelfAuthor>("\(id)")), fails: .otherEntity, in: context)
        let unknown = "\(id)".replacingOccurrences(of: "Book", with: "Film")
        expect(try #require(ObjectID<ShelfBook>(unknown)), fails: .otherEntity, in: context)
        expect(try #require(ObjectID<ShelfBook>("\(id)x")), fails: .otherEntity, in: context)
    }

    @Test("The identifier of a deleted object leads nowhere")
    func deleted() throws {
        let id = context.performAndWait { book.typedID }
        context.performAndWait { context.delete(book) }
        expect(id, fails: .missing, in: context)
        try context.performAndWait { try context.save() }
        expect(id, fails: .missing, in: context)
        expect(id, fails: .missing, in: container.newBackgroundContext())
        let never = "\(id)".replacingOccurrences(of: "p1", with: "p99")
        expect(try #require(ObjectID<ShelfBook>(never)), fails: .missing, in: context)
    }

    @Test("An identifier of another store leads nowhere")
    func otherStore() throws {
        let id = context.performAndWait { book.typedID }
        expect(id, fails: .otherStore, in: try Self.container().newBackgroundContext())
        expect(id, fails: .otherStore, in: NSManagedObjectContext(.privateQueue))
    }
}
