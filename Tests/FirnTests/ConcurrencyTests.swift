import Firn
import FirnModel
import Foundation
import Synchronization
import StoreSupport
import TestSupport
import Testing

@Suite("Many contexts on many threads")
struct ConcurrencyTests {
    private static let threads = 8
    /// `FIRN_SAVES` sets how often each thread saves.
    private static let saves = ProcessInfo.processInfo.environment["FIRN_SAVES"].flatMap(Int.init) ?? 40

    /// Runs `body` on several threads at once, each with a context of its own; gives the errors they threw.
    private func run(
        _ coordinators: [NSPersistentStoreCoordinator], _ policy: NSMergePolicy,
        _ body: @escaping @Sendable (NSManagedObjectContext, Int) throws -> Void
    ) -> [String] {
        let errors = Errors()
        DispatchQueue.concurrentPerform(iterations: Self.threads) { index in
            let context = coordinators[index % coordinators.count].context()
            context.mergePolicy = policy
            context.performAndWait {
                do { try body(context, index) } catch { errors.add("\(error)") }
            }
        }
        return errors.all
    }

    private final class Errors: @unchecked Sendable {
        private let lock = NSLock()
        private var list: [String] = []
        func add(_ text: String) { lock.withLock { list.append(text) } }
        var all: [String] { lock.withLock { list } }
    }

    @Test("every new object of every thread is saved once, under a key of its own", arguments: [1, 2])
    func inserts(_ coordinatorCount: Int) throws {
        let directory = try TemporaryDirectory()
        let coordinators = try (0..<coordinatorCount).map { _ in try Library.onDisk(directory) }
        let errors = run(coordinators, .error) { context, index in
            for save in 0..<Self.saves {
                _ = context.make("Author", ["name": "\(index).\(save)"])
                try context.save()
            }
        }
        #expect(errors == [])
        let reader = coordinators[0].context()
        try reader.performAndWait {
            let all = try reader.all("Author")
            #expect(all.count == Self.threads * Self.saves)
            #expect(Set(all.compactMap { $0.value(forKey: "name") as? String }).count == all.count)
        }
    }

    /// Notes have no relationships and no constraints, so that their saves never conflict.
    private static func notes() -> NSManagedObjectModel {
        ModelSketch.model(ModelSketch.entity("Note", [ModelSketch.attribute("text")]))
    }

    private static func open(_ url: URL) throws -> NSPersistentStoreCoordinator {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: notes())
        _ = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: nil)
        return coordinator
    }

    @Test("objects that lead nowhere are saved once, under a key of their own, beside updates", arguments: [1, 2])
    func lonelyInserts(_ coordinatorCount: Int) throws {
        let directory = try TemporaryDirectory()
        let url = directory.file("Notes.sqlite")
        let coordinators = try (0..<coordinatorCount).map { _ in try Self.open(url) }
        let ids = Mutex<[URL: String]>([:])
        let errors = run(coordinators, .error) { context, index in
            for save in 0..<Self.saves {
                let note = context.make("Note", ["text": "\(index).\(save)"])
                if save % 5 == 4 { _ = context.make("Note", ["text": "\(index).\(save) and another"]) }
                try context.save()
                if save % 7 == 6 {
                    note.setValue("\(index).\(save) changed", forKey: "text")
                    try context.save()
                }
                let text = note.value(forKey: "text") as? String
                ids.withLock { $0[note.objectID.uriRepresentation()] = text }
            }
        }
        #expect(errors == [])
        let known = ids.withLock { $0 }
        #expect(known.count == Self.threads * Self.saves)
        for coordinator in [coordinators[0], try Self.open(url)] {
            let reader = coordinator.context()
            try reader.performAndWait {
                let all = try reader.all("Note")
                #expect(all.count == Self.threads * (Self.saves + Self.saves / 5))
                let found = Dictionary(
                    uniqueKeysWithValues: all.map {
                        ($0.objectID.uriRepresentation(), $0.value(forKey: "text") as? String)
                    })
                #expect(known.allSatisfy { found[$0] == $1 })
            }
        }
    }

    @Test("no increment is lost when a refused save is tried again", arguments: [1, 2])
    func counters(_ coordinatorCount: Int) throws {
        let directory = try TemporaryDirectory()
        let coordinators = try (0..<coordinatorCount).map { _ in try Library.onDisk(directory) }
        let first = coordinators[0].context()
        try first.performAndWait {
            for name in ["a", "b", "c"] { _ = first.make("Author", ["name": name, "age": 0]) }
            try first.save()
        }
        let errors = run(coordinators, .error) { context, index in
            let authors = try context.all("Author", sortedBy: "name")
            for save in 0..<Self.saves {
                let author = authors[(index + save) % 3]
                while true {
                    author.setValue((author.value(forKey: "age") as? Int ?? 0) + 1, forKey: "age")
                    do {
                        try context.save()
                        break
                    } catch let error as NSError where error.code == NSManagedObjectMergeError {
                        context.refresh(author, mergeChanges: false)
                    }
                }
            }
        }
        #expect(errors == [])
        let reader = coordinators[0].context()
        let sum = try reader.performAndWait {
            try reader.all("Author").reduce(0) { $0 + ($1.value(forKey: "age") as? Int ?? 0) }
        }
        #expect(sum == Self.threads * Self.saves)
    }

    @Test(
        "under every policy, edits and deletions of the same objects lose no new object and leave no table behind",
        arguments: [
            NSMergePolicy.mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .overwrite, .rollback,
        ], [1, 2])
    func overlapping(_ policy: NSMergePolicy, _ coordinatorCount: Int) throws {
        let directory = try TemporaryDirectory()
        let coordinators = try (0..<coordinatorCount).map { _ in try Library.onDisk(directory) }
        let first = coordinators[0].context()
        try first.performAndWait {
            for index in 0..<20 { _ = first.make("Author", ["name": "\(index)", "age": index]) }
            try first.save()
        }
        let errors = run(coordinators, policy) { context, index in
            var generator = SeededGenerator(seed: UInt64(index))
            for save in 0..<Self.saves {
                let authors = try context.all("Author")
                // Of nobody's interest but this thread's: no policy may drop it.
                _ = context.make("Tag", ["label": "\(index).\(save)"])
                if let author = authors.randomElement(using: &generator) {
                    if save % 10 == 9 {
                        context.delete(author)
                        _ = context.make("Author", ["name": "\(index).\(save)"])
                    } else {
                        author.setValue(save, forKey: "age")
                        context.make("Book", ["title": "\(index).\(save)"]).setValue(author, forKey: "author")
                    }
                }
                try context.save()
                context.reset()
            }
        }
        #expect(errors == [])
        let before = try Contents(coordinators[0])
        #expect(before.tags.count == Self.threads * Self.saves)
        #expect(before.strays == 0)
        try directory.file("Library.sqlite").discardTables()
        #expect(try Contents(Library.onDisk(directory)) == before)
    }

    /// What a store holds, and how many of its books have an author who is not there.
    private struct Contents: Equatable {
        var tags: Set<String> = []
        var authors: [String: [String]] = [:]
        var strays = 0

        init(_ coordinator: NSPersistentStoreCoordinator) throws {
            let context = coordinator.context()
            try context.performAndWait {
                tags = try context.strings("Tag", "label")
                let all = try context.all("Author")
                let known = Set(all.map(\.objectID))
                for author in all {
                    let books = (author.value(forKey: "books") as? NSOrderedSet)?.array as? [NSManagedObject] ?? []
                    authors["\(author.objectID.uriRepresentation())"] = books.compactMap {
                        $0.value(forKey: "title") as? String
                    }
                }
                for book in try context.all("Book") {
                    if let id = (book.value(forKey: "author") as? NSManagedObject)?.objectID, !known.contains(id) {
                        strays += 1
                    }
                }
            }
        }
    }

    /// For each thread a property that it alone changes, and the value of its nth save.
    private static let fields: [(key: String, value: @Sendable (Int) -> Any)] = [
        ("name", { "\($0)" }), ("age", { $0 }), ("height", { Double($0) }),
        ("born", { Date(timeIntervalSinceReferenceDate: Double($0)) }), ("portrait", { Data("\($0)".utf8) }),
        ("homepage", { URL(fileURLWithPath: "/\($0)") }), ("worth", { NSDecimalNumber(value: $0) }),
        (
            "id",
            {
                let digits = String("\(1_000_000_000_000 + $0)".suffix(12))
                return UUID(uuidString: "00000000-0000-0000-0000-" + digits) ?? UUID()
            }
        ),
    ]

    @Test(
        "by property, no thread loses what it alone changed of one object, nor a member that it added",
        arguments: [NSMergePolicy.mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump], [1, 2])
    func ownProperties(_ policy: NSMergePolicy, _ coordinatorCount: Int) throws {
        let directory = try TemporaryDirectory()
        let coordinators = try (0..<coordinatorCount).map { _ in try Library.onDisk(directory) }
        let first = coordinators[0].context()
        try first.performAndWait {
            _ = first.make("Author")
            try first.save()
        }
        let errors = run(coordinators, policy) { context, index in
            let author = try #require(try context.all("Author").first)
            let field = Self.fields[index]
            for save in 1...Self.saves {
                author.setValue(field.value(save), forKey: field.key)
                context.make("Book", ["title": "\(index).\(save)"]).setValue(author, forKey: "author")
                try context.save()
            }
        }
        #expect(errors == [])
        let reader = coordinators[0].context()
        try reader.performAndWait {
            let author = try #require(try reader.all("Author").first)
            for field in Self.fields {
                let value = author.value(forKey: field.key) ?? "nothing"
                #expect("\(value)" == "\(field.value(Self.saves))", "\(field.key)")
            }
            let books = author.value(forKey: "books") as? NSOrderedSet
            #expect(books?.count == Self.threads * Self.saves)
        }
    }
}
