import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

/// Random programs of edits against `World`, from a seed that a failure prints. `FIRN_OPERATIONS` sets their length.
@Suite("Random edits against a plain model")
struct ModelBasedTests {
    private static let operations = SeededGenerator.operations(usually: 1500)

    @Test("context, store and rebuilt tables are what dictionaries say, after every step")
    func randomProgram() throws {
        let directory = try TemporaryDirectory()
        let coordinator = try Library.onDisk(directory)
        var run = Run(coordinator, SeededGenerator())
        for step in 0..<Self.operations {
            let operation = try run.step()
            let seen = try run.observe(run.context)
            try #require(seen == run.current, "\(run.generator), step \(step): \(operation)")
            guard operation == "save" else { continue }
            let reader = coordinator.context()
            let stored = try run.observe(reader)
            try #require(stored == run.saved, "\(run.generator), step \(step): saved")
            withExtendedLifetime(reader) {}
        }
        run.context.rollback()
        try directory.file("Library.sqlite").discardTables()
        let rebuilt = try Library.onDisk(directory).context()
        #expect(try run.observe(rebuilt) == run.saved, "\(run.generator): rebuilt")
    }

    private struct Run {
        let context: NSManagedObjectContext
        var generator: SeededGenerator
        var current = World()
        var saved = World()
        private var next = 0

        init(_ coordinator: NSPersistentStoreCoordinator, _ generator: SeededGenerator) {
            context = coordinator.context()
            self.generator = generator
        }

        mutating func step() throws -> String {
            let author = current.authors.keys.sorted().randomElement(using: &generator)
            let book = current.books.keys.sorted().randomElement(using: &generator)
            let tag = current.tags.sorted().randomElement(using: &generator)
            let operation = try edit(Int.random(in: 0..<20, using: &generator), author, book, tag)
            context.processPendingChanges()
            return operation
        }

        private mutating func edit(_ choice: Int, _ author: Int?, _ book: Int?, _ tag: Int?) throws -> String {
            switch (choice, author, book, tag) {
            case (0...1, _, _, _): return insert("Author")
            case (2...4, _, _, _): return insert("Book")
            case (5, _, _, _): return insert("Tag")
            case (6, let author?, _, _):
                let age = Int.random(in: 0...99, using: &generator)
                try object("Author", author).setValue(age, forKey: "age")
                current.authors[author] = age
                return "age of author \(author)"
            case (7...8, _, let book?, _):
                try object("Book", book).setValue(try author.map { try object("Author", $0) }, forKey: "author")
                current.setAuthor(author, of: book)
                return "author of book \(book) to \(author as Any)"
            case (9...10, let author?, _, _):
                let list = some(of: current.books.keys.sorted(), atMost: 6)
                let books = try list.map { try object("Book", $0) }
                try object("Author", author).setValue(NSOrderedSet(array: books), forKey: "books")
                current.setBooks(list, of: author)
                return "books of author \(author) to \(list)"
            case (11...12, _, let book?, _):
                let list = some(of: current.tags.sorted(), atMost: 4)
                try object("Book", book).setValue(Set(try list.map { try object("Tag", $0) }), forKey: "tags")
                current.books[book]?.tags = Set(list)
                return "tags of book \(book) to \(list)"
            case (13, _, _, let tag?):
                let list = some(of: current.books.keys.sorted(), atMost: 4)
                try object("Tag", tag).setValue(Set(try list.map { try object("Book", $0) }), forKey: "books")
                current.setBooks(Set(list), ofTag: tag)
                return "books of tag \(tag) to \(list)"
            case (14, let author?, _, _):
                context.delete(try object("Author", author))
                current.deleteAuthor(author)
                return "delete author \(author)"
            case (15, _, let book?, _):
                context.delete(try object("Book", book))
                current.deleteBook(book)
                return "delete book \(book)"
            case (16, _, _, let tag?):
                context.delete(try object("Tag", tag))
                current.deleteTag(tag)
                return "delete tag \(tag)"
            case (17, _, _, _):
                context.rollback()
                current = saved
                return "rollback"
            case (18, _, _, _):
                context.refreshAllObjects()
                return "refresh all"
            default:
                try context.save()
                saved = current
                return "save"
            }
        }

        private mutating func insert(_ entity: String) -> String {
            next += 1
            switch entity {
            case "Author":
                _ = context.make(entity, ["name": "\(next)", "age": 0])
                current.authors[next] = 0
            case "Book":
                _ = context.make(entity, ["title": "\(next)", "pages": next])
                current.books[next] = World.Book(pages: next)
            default:
                _ = context.make(entity, ["label": "\(next)"])
                current.tags.insert(next)
            }
            return "insert \(entity) \(next)"
        }

        private mutating func some(of all: [Int], atMost count: Int) -> [Int] {
            Array(all.shuffled(using: &generator).prefix(Int.random(in: 0...count, using: &generator)))
        }

        private func object(_ entity: String, _ number: Int) throws -> NSManagedObject {
            let request = NSFetchRequest<NSManagedObject>(entityName: entity)
            let key = ["Author": "name", "Book": "title", "Tag": "label"][entity] ?? ""
            request.predicate = NSPredicate(format: "%K == %@", key, "\(number)")
            return try #require(try context.fetch(request).first, "\(generator): \(entity) \(number) is not found")
        }

        /// The world as a context sees it.
        func observe(_ context: NSManagedObjectContext) throws -> World {
            func number(_ object: NSManagedObject?, _ key: String) -> Int? {
                (object?.value(forKey: key) as? String).flatMap(Int.init)
            }
            var world = World()
            for author in try context.all("Author") {
                guard let name = number(author, "name") else { continue }
                world.authors[name] = author.value(forKey: "age") as? Int
                let books = author.value(forKey: "books") as? NSOrderedSet
                let list = (books?.array ?? []).compactMap { number($0 as? NSManagedObject, "title") }
                if !list.isEmpty { world.order[name] = list }
            }
            for book in try context.all("Book") {
                guard let title = number(book, "title") else { continue }
                let tags = book.value(forKey: "tags") as? Set<NSManagedObject> ?? []
                world.books[title] = World.Book(
                    pages: book.value(forKey: "pages") as? Int ?? -1,
                    author: number(book.value(forKey: "author") as? NSManagedObject, "name"),
                    tags: Set(tags.compactMap { number($0, "label") }))
            }
            for tag in try context.all("Tag") {
                if let label = number(tag, "label") { world.tags.insert(label) }
            }
            return world
        }
    }
}
