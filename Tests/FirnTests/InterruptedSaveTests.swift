import Firn
import FirnModel
import Foundation
import StoreSupport
import Synchronization
import TestSupport
import Testing

extension InterruptedTests {
    /// What a save takes for granted is looked at once more when it has the writer's lock.
    @Suite("Changed objects")
    struct InterruptedSaveTests {
        /// Who writes in between.
        enum Other: CaseIterable { case context, program }

        private let directory: TemporaryDirectory
        private let coordinator: NSPersistentStoreCoordinator
        private let other: NSPersistentStoreCoordinator

        init() throws {
            ValueTransformer.setValueTransformer(Interrupting(), forName: Interrupting.name)
            directory = try TemporaryDirectory()
            coordinator = try Self.open(directory)
            other = try Self.open(directory)
            try coordinator.write { context in
                for title in ["mine", "theirs"] { _ = context.make("Note", ["title": title]) }
                _ = context.make("Tag", ["name": "red"])
                _ = context.make("Folder", ["name": "letters"])
            }
        }

        /// Notes in the order of a folder, with a tag that does not know of them.
        private static func model() -> NSManagedObjectModel {
            let text = ModelSketch.attribute("text", .transformableAttributeType)
            text.valueTransformerName = Interrupting.name.rawValue
            let note = ModelSketch.entity("Note", [ModelSketch.attribute("title"), text])
            let tag = ModelSketch.entity("Tag", [ModelSketch.attribute("name"), ModelSketch.attribute("colour")])
            tag.uniquenessConstraints = [["name"]]
            let folder = ModelSketch.entity("Folder", [ModelSketch.attribute("name")])
            ModelSketch.relate(folder, "notes", toMany: note, "folder").isOrdered = true
            let label = NSRelationshipDescription()
            label.name = "label"
            label.destinationEntity = tag
            label.maxCount = 1
            label.isOptional = true
            note.properties.append(label)
            return ModelSketch.model(note, tag, folder)
        }

        private static func open(_ directory: TemporaryDirectory) throws -> NSPersistentStoreCoordinator {
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model())
            _ = try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType, configurationName: nil, at: directory.file("Notes.sqlite"), options: nil)
            return coordinator
        }

        private static func one(
            _ entity: String, _ key: String, _ value: String, _ context: NSManagedObjectContext
        ) throws -> NSManagedObject {
            try #require(try context.all(entity).first { $0.text(key) == value })
        }

        /// Saves what `mine` does, with a new text for the note "mine"; `theirs` is saved while this one is made.
        private func save(
            _ other: Other, policy: NSMergePolicy = .error,
            _ mine: (NSManagedObjectContext, NSManagedObject) throws -> Void = { _, _ in },
            theirs: @escaping @Sendable (NSManagedObjectContext) throws -> Void
        ) throws {
            let coordinator = other == .context ? coordinator : self.other
            let failure = Mutex<String?>("the save was not interrupted")
            let context = self.coordinator.context()
            context.mergePolicy = policy
            defer { #expect(failure.withLock { $0 } == nil) }
            try context.performAndWait {
                let note = try Self.one("Note", "title", "mine", context)
                try mine(context, note)
                note.setValue("new", forKey: "text")
                Interrupting.interrupt {
                    let message: String?
                    do {
                        try coordinator.write(theirs)
                        message = nil
                    } catch { message = "\(error)" }
                    failure.withLock { $0 = message }
                }
                try context.save()
            }
        }

        private func read<R>(_ body: (NSManagedObjectContext) throws -> R) throws -> R {
            let context = try Self.open(directory).context()
            return try context.performAndWait { try body(context) }
        }

        @Test("other rows are no conflict", arguments: Other.allCases)
        func otherRow(_ other: Other) throws {
            try save(other) { try Self.one("Note", "title", "theirs", $0).setValue("theirs now", forKey: "title") }
            let titles = try read { Set(try $0.all("Note").map { [$0.text("title"), $0.text("text")] }) }
            #expect(titles == [["mine", "new"], ["theirs now", nil]])
        }

        @Test("the same row is a conflict", arguments: Other.allCases)
        func sameRow(_ other: Other) throws {
            let error = #expect(throws: NSError.self) {
                try save(other) { try Self.one("Note", "title", "mine", $0).setValue("theirs too", forKey: "title") }
            }
            #expect(error?.code == NSManagedObjectMergeError)
            let texts = try read { Set(try $0.all("Note").map { [$0.text("title"), $0.text("text")] }) }
            #expect(texts == [["theirs too", nil], ["theirs", nil]])
        }

        @Test("a merge policy settles it over the row as it is now", arguments: Other.allCases)
        func merged(_ other: Other) throws {
            try save(other, policy: .mergeByPropertyObjectTrump) {
                try Self.one("Note", "title", "mine", $0).setValue("theirs too", forKey: "title")
            }
            let texts = try read { Set(try $0.all("Note").map { [$0.text("title"), $0.text("text")] }) }
            #expect(texts == [["theirs too", "new"], ["theirs", nil]])
        }

        @Test("a row that others delete is a conflict", arguments: Other.allCases)
        func deletedRow(_ other: Other) throws {
            let error = #expect(throws: NSError.self) {
                try save(other) { $0.delete(try Self.one("Note", "title", "mine", $0)) }
            }
            #expect(error?.code == NSManagedObjectMergeError)
            #expect(try read { try $0.all("Note").map { $0.text("title") } } == ["theirs"])
        }

        @Test("a unique value that others save is a conflict", arguments: Other.allCases)
        func uniqueValue(_ other: Other) throws {
            let error = #expect(throws: NSError.self) {
                try save(other) { context, _ in
                    _ = context.make("Tag", ["name": "blue"])
                } theirs: { _ = $0.make("Tag", ["name": "blue"]) }
            }
            #expect(error?.code == NSManagedObjectConstraintMergeError)
            #expect(try read { Set(try $0.all("Tag").map { $0.text("name") }) } == ["red", "blue"])
        }

        @Test("a destination that others delete is not led to", arguments: Other.allCases)
        func deletedDestination(_ other: Other) throws {
            try save(other) { context, note in
                note.setValue(try Self.one("Tag", "name", "red", context), forKey: "label")
            } theirs: { $0.delete(try Self.one("Tag", "name", "red", $0)) }
            let label = try read { context in
                try Self.one("Note", "title", "mine", context).value(forKey: "label") as? NSManagedObject
            }
            #expect(label == nil)
        }

        @Test("a destination that others change is led to", arguments: Other.allCases)
        func changedDestination(_ other: Other) throws {
            try save(other) { context, note in
                note.setValue(try Self.one("Tag", "name", "red", context), forKey: "label")
            } theirs: { try Self.one("Tag", "name", "red", $0).setValue("ruby", forKey: "colour") }
            let colour = try read { context in
                let label = try Self.one("Note", "title", "mine", context).value(forKey: "label") as? NSManagedObject
                return label?.text("colour")
            }
            #expect(colour == "ruby")
        }

        @Test("what both append to an ordered relationship is there, each once", arguments: Other.allCases)
        func orderedMembers(_ other: Other) throws {
            try save(other, policy: .mergeByPropertyObjectTrump) { context, note in
                note.setValue(try Self.one("Folder", "name", "letters", context), forKey: "folder")
            } theirs: { context in
                let folder = try Self.one("Folder", "name", "letters", context)
                try Self.one("Note", "title", "theirs", context).setValue(folder, forKey: "folder")
            }
            let titles = try read { context in
                let notes = try Self.one("Folder", "name", "letters", context).mutableOrderedSetValue(forKey: "notes")
                return notes.compactMap { ($0 as? NSManagedObject)?.text("title") }
            }
            #expect(titles == ["theirs", "mine"])
        }

        @Test("an order that a save failed to write is the next save's, or nobody's once it is rolled back",
            arguments: [false, true])
        func failedOrder(rollsBack: Bool) throws {
            let context = coordinator.context()
            try context.performAndWait {
                let folder = try Self.one("Folder", "name", "letters", context)
                let notes = try ["mine", "theirs"].map { try Self.one("Note", "title", $0, context) }
                folder.setValue(NSOrderedSet(array: notes), forKey: "notes")
                try context.save()
                folder.setValue(NSOrderedSet(array: notes.reversed()), forKey: "notes")
                // The transformer has no data for it.
                let other = context.make("Note", ["text": NSNumber(value: 7)])
                #expect(throws: (any Error).self) { try context.save() }
                context.delete(other)
                if rollsBack {
                    context.rollback()
                    notes[0].setValue("new", forKey: "text")
                }
                try context.save()
            }
            let titles = try read { context in
                let notes = try Self.one("Folder", "name", "letters", context).mutableOrderedSetValue(forKey: "notes")
                return notes.compactMap { ($0 as? NSManagedObject)?.text("title") }
            }
            #expect(titles == (rollsBack ? ["mine", "theirs"] : ["theirs", "mine"]))
        }

        @Test("an object that two saves write again after its deletion is changed by the later one",
            arguments: Other.allCases)
        func writtenAgain(_ other: Other) throws {
            let rival = (other == .context ? coordinator : self.other).context()
            rival.mergePolicy = NSMergePolicy.overwrite
            try rival.performAndWait {
                try Self.one("Note", "title", "mine", rival).setValue("theirs now", forKey: "title")
            }
            try save(other, policy: .mergeByPropertyObjectTrump) { _, _ in
                try coordinator.write { $0.delete(try Self.one("Note", "title", "mine", $0)) }
            } theirs: { _ in try rival.performAndWait { try rival.save() } }
            let texts = try read { Set(try $0.all("Note").map { [$0.text("title"), $0.text("text")] }) }
            #expect(texts == [["theirs now", "new"], ["theirs", nil]])
        }

        @Test("saves that lose again and again are made while nobody else may write", arguments: Other.allCases)
        func losing(_ other: Other) throws {
            let coordinator = other == .context ? coordinator : self.other
            let context = self.coordinator.context()
            context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            let interruptions = Mutex(0)
            try context.performAndWait {
                try Self.one("Note", "title", "mine", context).setValue("new", forKey: "text")
                let interruption: @Sendable () -> Void = {
                    let number = interruptions.withLock { count in
                        count += 1
                        return count
                    }
                    try? coordinator.write { other in
                        let note = try #require(try other.all("Note").first { $0.text("title") != "theirs" })
                        note.setValue("mine \(number)", forKey: "title")
                    }
                }
                // With the lock held, another one would wait for this one for ever.
                Interrupting.interrupt(interruption, interruption, interruption)
                try context.save()
            }
            #expect(interruptions.withLock { $0 } == 3)
            let texts = try read { Set(try $0.all("Note").map { [$0.text("title"), $0.text("text")] }) }
            #expect(texts == [["mine 3", "new"], ["theirs", nil]])
        }
    }
}
