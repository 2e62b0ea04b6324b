import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

/// Objects of another program that a context knows, though the keys of this program's engine do not reach as far.
@Suite("Keys that another program gave")
struct ForeignKeyTests {
    private static func open(_ directory: TemporaryDirectory) throws -> NSPersistentStoreCoordinator {
        let note = ModelSketch.entity("Note", [ModelSketch.attribute("title")])
        let letter = ModelSketch.entity("Letter", [])
        note.subentities = [letter]
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: ModelSketch.model(note, letter))
        _ = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: directory.file("Notes.sqlite"), options: nil)
        return coordinator
    }

    @Test(
        "are not given to new objects, of any entity of the root", arguments: ["Note", "Letter"], ["Note", "Letter"])
    func known(theirs: String, mine: String) throws {
        let directory = try TemporaryDirectory()
        let context = try Self.open(directory).context()
        let other = try Self.open(directory).context()
        try context.performAndWait {
            _ = context.make("Note", ["title": "first"])
            try context.save()
        }
        try other.performAndWait {
            _ = other.make(theirs, ["title": "theirs"])
            try other.save()
        }
        try context.performAndWait {
            let before = try #require(try context.all("Note").first { $0.text("title") == "theirs" })
            _ = context.make(mine, ["title": "mine"])
            try context.save()
            let all = try context.all("Note")
            #expect(Set(all.map { $0.text("title") }) == ["first", "theirs", "mine"])
            #expect(all.contains { $0 === before }, "the object that was known is another one now")
        }
    }
}
