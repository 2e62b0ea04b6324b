import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

/// The cache is bounded by bytes: what is in a row decides how many of them stay.
@Suite("The row cache")
struct RowCacheConformanceTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func open(_ sizeMax: Int?) throws -> (NSPersistentStoreCoordinator, NSPersistentStore) {
        let description = NSPersistentStoreDescription(url: directory.file("Library.sqlite"))
        if let sizeMax { description.rowCacheSize = sizeMax }
        description.durability = .system
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
        var failure: (any Error)?
        coordinator.addPersistentStore(with: description) { failure = $1 }
        if let failure { throw failure }
        return (coordinator, try #require(coordinator.persistentStores.first))
    }

    private static func portrait(_ number: Int) -> Data { Data(repeating: UInt8(number & 255), count: 20_000) }

    /// Saves authors with 20 kB each, and forgets them.
    private func save(_ numbers: Range<Int>, _ context: NSManagedObjectContext) throws {
        for number in numbers {
            _ = context.make("Author", ["age": number, "portrait": Self.portrait(number)])
        }
        try context.save()
        context.reset()
    }

    @Test("m.32 holds what is written up to its bytes and no more, however large the rows are")
    func written() throws {
        let (coordinator, store) = try open(1 << 20)
        let context = coordinator.context()
        for start in stride(from: 0, to: 200, by: 10) {
            try save(start..<start + 10, context)
            #expect(store.rowCacheBytes <= 1 << 20)
        }
        #expect(store.rowCacheBytes > 1 << 19)
    }

    @Test("m.32 holds what is read up to its bytes and no more")
    func read() throws {
        let (coordinator, store) = try open(1 << 20)
        let context = coordinator.context()
        for start in stride(from: 0, to: 200, by: 10) { try save(start..<start + 10, context) }
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        request.sortDescriptors = [NSSortDescriptor(key: "age", ascending: true)]
        let found = try context.fetch(request)
        #expect(store.rowCacheBytes <= 1 << 20)
        for (number, author) in found.enumerated() {
            #expect(author.value(forKey: "portrait") as? Data == Self.portrait(number))
            #expect(store.rowCacheBytes <= 1 << 20)
        }
    }

    @Test("m.32 keeps the first rows of a save that is larger than it")
    func largeSave() throws {
        let (coordinator, store) = try open(1 << 20)
        let context = coordinator.context()
        try save(0..<100, context)
        #expect(store.rowCacheBytes <= 1 << 20)
        #expect(store.rowCacheBytes > 1 << 18)
        let found = try context.all("Author", sortedBy: "age")
        #expect(found.map { $0.value(forKey: "portrait") as? Data } == (0..<100).map(Self.portrait))
    }

    @Test("m.32 may be switched off, and rows come from the tables then")
    func none() throws {
        let (coordinator, store) = try open(0)
        let context = coordinator.context()
        try save(0..<3, context)
        #expect(try context.all("Author", sortedBy: "age").map { $0.value(forKey: "age") as? Int } == [0, 1, 2])
        #expect(store.rowCacheBytes == 0)
    }

    @Test("m.32 has 64 MB where the description says nothing")
    func standard() {
        #expect(NSPersistentStoreDescription(url: directory.file("a")).rowCacheSize == 64 << 20)
    }

    @Test("m.32 has the newest values of rows that no longer fit")
    func newest() throws {
        let (coordinator, _) = try open(1 << 16)
        let context = coordinator.context()
        try save(0..<1, context)
        let author = try #require(try context.all("Author").first)
        author.setValue(Data(repeating: 7, count: 1 << 17), forKey: "portrait")
        try context.save()
        context.reset()
        let again = try #require(try context.all("Author").first)
        #expect((again.value(forKey: "portrait") as? Data)?.count == 1 << 17)
    }
}
