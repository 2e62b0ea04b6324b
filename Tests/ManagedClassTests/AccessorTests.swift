import CoreData
import Foundation
import ManagedBase
import Testing

@Suite("accessors that are linked, not compiled")
struct AccessorTests {
    @Test("values of every size come back from the registers they were passed in")
    func sizes() throws {
        let context = try ManagedModel.container()
        let made = Everything(context: context)
        let identifier = UUID()
        let amount = try #require(Decimal(string: "-12345678901234567890.0123456789"))
        made.certainDate = Date(timeIntervalSinceReferenceDate: 2.5)
        made.certainData = Data((0..<100).map { UInt8($0) })
        made.certainIdentifier = identifier
        made.certainLink = try #require(URL(string: "https://example.org/a?b#c"))
        made.perhapsAmount = amount
        made.unsigned = .max
        made.only = .one
        made.perhapsKind = .two
        made.aNameOfMoreThanFifteenCharacters = .min
        made.float = -0.25
        made.small = .min
        made.text = String(repeating: "long ", count: 20)
        let (read, reader) = try ManagedModel.read(made)
        let found = try #require(read)
        #expect(found.certainDate == Date(timeIntervalSinceReferenceDate: 2.5))
        #expect(found.certainData == Data((0..<100).map { UInt8($0) }))
        #expect(found.certainIdentifier == identifier)
        #expect(found.certainLink.absoluteString == "https://example.org/a?b#c")
        #expect(found.perhapsAmount == amount)
        #expect(found.unsigned == .max && found.only == .one && found.perhapsKind == .two)
        #expect(found.aNameOfMoreThanFifteenCharacters == .min && found.float == -0.25 && found.small == .min)
        #expect(found.text == String(repeating: "long ", count: 20))
        found.perhapsAmount = nil
        found.perhapsKind = nil
        found.identifier = nil
        found.link = nil
        #expect(found.perhapsAmount == nil && found.perhapsKind == nil && found.identifier == nil && found.link == nil)
        withExtendedLifetime((context, reader)) {}
    }

    @Test("an object that was read and set through accessors is released")
    func references() throws {
        weak var lost: NSObject?
        let context = try ManagedModel.container()
        let made = Everything(context: context)
        do {
            let thing = NSObject()
            lost = thing
            made.thing = thing
            #expect(made.thing === thing)
            made.thing = nil
        }
        context.reset()
        #expect(lost == nil)
    }

    @Test("members that were read as a set of their class are a set like others")
    func memberSets() throws {
        let context = try ManagedModel.container()
        let shelf = Shelf(context: context)
        let books = (0..<50).map { _ in Book(context: context) }
        shelf.certainBooks = Set(books)
        var read = shelf.certainBooks
        let more = Book(context: context)
        read.insert(more)
        read.remove(books[0])
        #expect(read.count == 50 && read.contains(more) && !read.contains(books[0]))
        #expect(read.union([books[0]]) == Set(books).union([more]))
        #expect((read as Any) is Set<Book> && Set(read.map(\.objectID)).count == 50)
        #expect(shelf.certainBooks == Set(books))
        withExtendedLifetime(context) {}
    }

    private func name(of keyPath: AnyKeyPath) -> String? { NSManagedObject.keyValueCodingKeyPath(for: keyPath) }

    @Test("key paths of all @NSManaged properties have names, over several steps too; of computed ones none")
    func keyPaths() {
        #expect(name(of: Everything.hiddenKeyPath) == "hidden")
        #expect(name(of: \Manager.nickname) == "nickname")
        #expect(name(of: \Person.visits) == "visits")
        #expect(name(of: \Everything.unsigned) == "unsigned")
        let long = name(of: \Everything.aNameOfMoreThanFifteenCharacters)
        #expect(long == "aNameOfMoreThanFifteenCharacters")
        #expect(name(of: \Everything.quietText) == nil)
        #expect(name(of: \Everything.owner?.name) == "owner.name")
        #expect(name(of: \Everything.owner!.name) == "owner.name")
        #expect(name(of: \String.count) == nil)
    }

    @Test("names beyond ASCII are names of accessors too")
    func letters() throws {
        let context = try ManagedModel.container()
        let made = Everything(context: context)
        (made.größeInZentimetern, made._名前) = ("tall", "Ada")
        let (read, reader) = try ManagedModel.read(made)
        #expect(read?.größeInZentimetern == "tall" && read?._名前 == "Ada")
        #expect(name(of: \Everything.größeInZentimetern) == "größeInZentimetern")
        withExtendedLifetime((context, reader)) {}
    }

    @Test("a property is asked for by many threads at once, for the first time too")
    func threads() async throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: ManagedModel.model())
        try coordinator.addPersistentStore(ofType: NSInMemoryStoreType, configurationName: nil, at: nil, options: nil)
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<8 {
                group.addTask {
                    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
                    context.persistentStoreCoordinator = coordinator
                    context.performAndWait {
                        let made = Everything(context: context)
                        made.counts = ["a": index]
                        #expect(made.counts == ["a": index])
                    }
                }
            }
        }
    }
}
