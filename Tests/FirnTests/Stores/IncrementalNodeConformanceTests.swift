import Firn
import FirnModel
import Foundation
import StoreSupport
import Testing

@Suite("Conformance: what nodes of an incremental store tell, and what a save leaves")
struct IncrementalNodeConformanceTests {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
    let store: NodeStore
    let context: NSManagedObjectContext

    /// A book with two tags, and one without.
    init() throws {
        store = try NodeStore.add(to: coordinator)
        context = coordinator.context()
        store.rows = [
            101: ("Book", ["title": "Notes", "tags": [103, 104]]), 102: ("Book", ["title": "Letters"]),
            103: ("Tag", ["label": "one", "books": [101]]), 104: ("Tag", ["label": "two", "books": [101]]),
            105: ("Tag", ["label": "three"]),
        ]
    }

    private func book(_ title: String, _ context: NSManagedObjectContext) throws -> NSManagedObject {
        try #require(try context.all("Book").first { $0.text("title") == title })
    }

    private func tag(_ label: String) throws -> NSManagedObject {
        try #require(try context.all("Tag").first { $0.text("label") == label })
    }

    private func labels(_ book: NSManagedObject) -> Set<String?> {
        Set((book.value(forKey: "tags") as? Set<NSManagedObject> ?? []).map { $0.text("label") })
    }

    @Test("m.4 to-many values in a node are the members of the relationship")
    func members() throws {
        #expect(labels(try book("Notes", context)) == ["one", "two"])
        #expect(labels(try book("Letters", context)) == [])
    }

    @Test("m.4 a member that is added goes to the store together with those that the node told")
    func adding() throws {
        let book = try book("Notes", context)
        book.mutableSetValue(forKey: "tags").add(try tag("three"))
        try context.save()
        #expect(Set(store.rows[101]?.values["tags"] as? [Int] ?? []) == [103, 104, 105])
    }

    @Test("m.4 another context reads the members that were saved")
    func others() throws {
        let book = try book("Notes", context)
        book.mutableSetValue(forKey: "tags").add(try tag("three"))
        book.mutableSetValue(forKey: "tags").remove(try tag("one"))
        try context.save()
        let other = coordinator.context()
        #expect(labels(try self.book("Notes", other)) == ["two", "three"])
    }

    @Test("m.4 another context reads the members of an object that was inserted with them")
    func inserted() throws {
        let made = context.make("Book", ["title": "New"])
        made.setValue(NSSet(object: try tag("one")), forKey: "tags")
        try context.save()
        let other = coordinator.context()
        #expect(labels(try book("New", other)) == ["one"])
    }

    @Test("m.4 objects that were saved are not read again")
    func reading() throws {
        let book = try book("Notes", context)
        let made = context.make("Book", ["title": "New"])
        book.setValue("Diary", forKey: "title")
        store.reads = []
        try context.save()
        #expect(store.reads == [])
        #expect(book.text("title") == "Diary")
        book.setValue("Diaries", forKey: "title")
        made.setValue("Newer", forKey: "title")
        try context.save()
        #expect(store.reads == [])
        #expect(made.text("title") == "Newer")
    }

    @Test("m.4 what was saved holds, although the store still answers with what it had")
    func lateStore() throws {
        let book = try book("Notes", context)
        book.setValue("Diary", forKey: "title")
        try context.save()
        store.rows[101]?.values["title"] = "Notes"
        #expect(book.text("title") == "Diary")
        context.refresh(book, mergeChanges: false)
        #expect(book.text("title") == "Diary")
    }

    @Test("m.4 a row that was saved here and read again under the store's own version is no conflict")
    func versions() throws {
        let book = try book("Notes", context)
        for title in ["Diary", "Diaries"] {
            book.setValue(title, forKey: "title")
            try context.save()
        }
        let other = coordinator.context()
        other.stalenessInterval = 0
        let same = try self.book("Diaries", other)
        other.refresh(same, mergeChanges: false)
        #expect(same.text("title") == "Diaries")
        book.setValue("Letters", forKey: "title")
        try context.save()
        #expect(store.rows[101]?.values["title"] as? String == "Letters")
    }

    @Test("m.4 a fetch request of every result type is an NSFetchRequest<NSManagedObject>")
    func requests() throws {
        #expect(try context.all("Book").count == 2)
        let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Book")
        ids.resultType = .managedObjectIDResultType
        #expect(try context.fetch(ids).count == 2)
        #expect(try context.count(for: ids) == 2)
    }
}
