import Firn
import FirnModel
import Foundation
import StoreSupport
import Testing

import class FirnFoundation.NSPredicate
import class FirnFoundation.NSSortDescriptor

/// Texts that the model says are searchable. Random requests for words are in `RequestProgramTests`.
@Suite("Searches for words")
struct TokenSearchTests {
    private static let model = "Book: title String searchable, note String searchable, pages Integer32"
    private static let titles = ["Walden", "Walden; or, Life in the Woods", "The Pond of Walden", "Emma", "Wälder"]

    private func store() throws -> MigratingStore {
        let store = try MigratingStore()
        try store.with(Self.model) { context in
            for title in Self.titles { _ = context.make("Book", ["title": title]) }
        }
        return store
    }

    private func titles(
        _ format: String, _ context: NSManagedObjectContext, by descriptor: NSSortDescriptor? = nil
    ) throws -> [String] {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.predicate = NSPredicate(format: format)
        request.sortDescriptors = [descriptor ?? NSSortDescriptor(key: "title", ascending: true)]
        return try context.fetch(request).map { $0.text("title") ?? "" }
    }

    @Test("are ranked alike in the store and among unsaved objects")
    func ranked() throws {
        let store = try store()
        let context = try store.coordinator(ModelText.model(Self.model)).context()
        let rank = NSSortDescriptor(key: "title", rankOf: "walden pond")
        let ranked = ["Walden", "The Pond of Walden", "Walden; or, Life in the Woods"]
        #expect(try titles("title TOKENMATCHES[cd] 'walden'", context, by: rank) == ranked)
        let book = context.make("Book", ["title": "Walden Pond"])
        #expect(try titles("title TOKENMATCHES[cd] 'walden'", context, by: rank) == ["Walden Pond"] + ranked)
        #expect(try titles("title TOKENMATCHES[cd] 'wald*' AND pages == nil", context).count == 5)
        try context.save()
        #expect(try titles("title TOKENMATCHES[cd] 'walden'", context, by: rank) == ["Walden Pond"] + ranked)
        book.setValue("Pond", forKey: "title")
        #expect(try titles("title TOKENMATCHES[cd] 'walden'", context, by: rank) == ranked)
        try context.save()
        context.delete(try #require(context.all("Book").first { $0.text("title") == "Emma" }))
        try context.save()
        #expect(try titles("title TOKENMATCHES[cd] 'pond' OR note TOKENMATCHES 'x'", context) == ["Pond", ranked[1]])
        #expect(try titles("title TOKENMATCHES 'emma' OR title TOKENMATCHES 'Emma'", context) == [])
    }

    @Test("are answered whatever is asked for")
    func hostile() throws {
        let store = try store()
        let context = try store.coordinator(ModelText.model(Self.model)).context()
        let long = (0..<20_000).map { "w\($0)" }.joined(separator: " ")
        let texts = [
            long, long.replacing(" ", with: "-"), "a\0b", "say \"it\" ('twice')", "NEAR(a b, 2) AND c0 : x", "wörd*",
            "-^+",
        ]
        let books = texts.map { context.make("Book", ["title": $0]) }
        try context.save()
        let others = ["*", "\"", "\"\"", "a*b", " ", "\0", "{", "\u{300}", "col:", "😀", "漢*", "\"w0 w1", "w9 w0"]
        for text in texts + others {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
            request.predicate = NSPredicate(format: "title TOKENMATCHES[cd] %@", text)
            let found = Set(try context.fetch(request).map(\.objectID))
            let matching = books.filter { request.predicate?.evaluate(with: $0) ?? false }.map(\.objectID)
            #expect(found == Set(matching), "\(text.prefix(40))")
            if texts.contains(text), text != "-^+" {
                #expect(matching.contains(books[texts.firstIndex(of: text) ?? 0].objectID), "\(text.prefix(40))")
            }
        }
    }

    @Test("are answered after the model changed what is searchable, and after migrations")
    func changedModel() throws {
        let store = try store()
        let models = [
            "Book: title String, note String, pages Integer32", Self.model,
            "Book: title String searchable, note String, pages Integer32, price Double",
            "Work: title String searchable, note String searchable, pages Integer32",
        ]
        for text in models {
            let model = try ModelText.model(text)
            if model.entitiesByName["Work"] != nil { model.entitiesByName["Work"]?.renamingIdentifier = "Book" }
            try store.with(model) { context in
                let request = NSFetchRequest<NSManagedObject>(entityName: model.entities[0].name ?? "")
                request.predicate = NSPredicate(format: "title TOKENMATCHES[cd] 'walden'")
                #expect(try context.fetch(request).count == 3, "\(text)")
                let object = context.make(model.entities[0].name ?? "", ["title": "new", "note": "Walden"])
                try context.save()
                request.predicate = NSPredicate(format: "note TOKENMATCHES[cd] 'walden'")
                #expect(try context.fetch(request).map(\.objectID) == [object.objectID], "\(text)")
                context.delete(object)
            }
        }
    }

    @Test("in a past state find what was there then")
    func past() throws {
        let store = try store()
        let coordinator = try store.coordinator(ModelText.model(Self.model))
        let context = coordinator.context()
        for book in try context.all("Book") { book.setValue("Emma", forKey: "title") }
        try context.save()
        #expect(try titles("title TOKENMATCHES[cd] 'walden'", context) == [])
        let past = try coordinator.newContext(asOf: .sequence(2))
        #expect(try past.performAndWait { try titles("title TOKENMATCHES[cd] 'pond'", past) } == [Self.titles[2]])
    }

    @Test("leave nothing of a value that is erased in any file")
    func erased() throws {
        let store = try store()
        let coordinator = try store.coordinator(ModelText.model(Self.model))
        let context = coordinator.context()
        let book = context.make("Book", ["title": "xyzzy plugh", "note": "xyzzy"])
        try context.save()
        func files() throws -> [String] {
            let folder = store.url.deletingLastPathComponent()
            let all = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
            return try (all?.allObjects as? [URL] ?? []).filter { !$0.hasDirectoryPath }
                .filter { try Data(contentsOf: $0).range(of: Data("xyzzy".utf8)) != nil }.map(\.lastPathComponent)
        }
        #expect(try !files().isEmpty)
        try coordinator.erase(book.objectID, property: "title")
        try coordinator.erase(book.objectID, property: "note")
        #expect(try files() == [])
        #expect(try titles("title TOKENMATCHES 'xyzzy'", coordinator.context()) == [])
        let other = context.make("Book", ["title": "xyzzy"])
        try context.save()
        try coordinator.erase(other.objectID)
        #expect(try files() == [])
        _ = context.make("Book", ["title": "Emma, again"])
        try context.save()
        #expect(try titles("title TOKENMATCHES[cd] 'emma'", coordinator.context()) == ["Emma", "Emma, again"])
    }
}
