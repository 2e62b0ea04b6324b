import Firn
import FirnLog
import FirnModel
import FirnStore
import Foundation
import StoreSupport
import Synchronization
import TestSupport
import Testing

/// What the store computes without the writer's lock is computed again if others wrote into its tables meanwhile.
@Suite("What the store computes, while others write")
struct InterruptedComputationTests {
    /// Who writes in between.
    enum Other: CaseIterable { case context, program }

    /// So much that it goes into a file of its own.
    private static let text = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 / 7) })

    private let directory: TemporaryDirectory
    private let fileSystem = HeardFileSystem()
    private let coordinator: NSPersistentStoreCoordinator
    private let other: NSPersistentStoreCoordinator

    init() throws {
        directory = try TemporaryDirectory()
        coordinator = try Self.open(directory, [PersistentStoreFileSystemOption: fileSystem])
        other = try Self.open(directory)
        try coordinator.write { context in
            let folder = context.make("Folder", ["name": "letters"])
            for title in ["mine", "theirs"] {
                context.make("Note", ["title": title, "words": 1]).setValue(folder, forKey: "folder")
            }
            _ = context.make("Tag", ["name": "red"])
        }
    }

    private static func textAttribute() -> NSAttributeDescription {
        let text = ModelSketch.attribute("text", .binaryDataAttributeType)
        text.allowsExternalBinaryDataStorage = true
        return text
    }

    /// Folders that count the words of their notes. A note of many words has them in a file.
    private static func model() -> NSManagedObjectModel {
        let note = ModelSketch.entity(
            "Note",
            [
                ModelSketch.attribute("title"), ModelSketch.attribute("words", .integer64AttributeType),
                textAttribute(),
            ])
        let folder = ModelSketch.entity(
            "Folder",
            [
                ModelSketch.attribute("name"),
                ModelSketch.derived("wordCount", .integer64AttributeType, "notes.words.@sum"),
            ])
        let tag = ModelSketch.entity("Tag", [ModelSketch.attribute("name"), textAttribute()])
        tag.uniquenessConstraints = [["name"]]
        ModelSketch.relate(folder, "notes", toMany: note, "folder")
        return ModelSketch.model(note, folder, tag)
    }

    private static func open(
        _ directory: TemporaryDirectory, _ options: [AnyHashable: Any]? = nil
    ) throws -> NSPersistentStoreCoordinator {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model())
        _ = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: directory.file("Notes.sqlite"), options: options)
        return coordinator
    }

    private static func one(_ entity: String, _ value: String, _ context: NSManagedObjectContext) throws
        -> NSManagedObject
    {
        let key = entity == "Note" ? "title" : "name"
        return try #require(try context.all(entity).first { $0.text(key) == value })
    }

    /// Where a computation is interrupted, once its result is there.
    private enum Moment {
        /// The file of a large value that belongs to it is about to be made: nothing is locked.
        case file
        /// The writer's lock is about to be acquired: only other programs may write.
        case lock

        func isReached(_ call: HeardFileSystem.Call, _ path: String) -> Bool {
            switch self {
            case .file: call == .create && path.contains("/external/")
            case .lock: call == .acquireLock
            }
        }
    }

    /// Does `mine` in a context; `theirs` happens once meanwhile.
    private func interrupt(
        at moment: Moment, _ mine: (NSManagedObjectContext) throws -> Void,
        _ theirs: @escaping @Sendable () throws -> Void
    ) throws {
        let outcomes = Mutex<[String?]>([])
        fileSystem.hear { call, path in
            guard moment.isReached(call, path) else { return }
            let isFirst = outcomes.withLock { outcomes in
                if outcomes.isEmpty { outcomes.append("theirs was not done") } else { return false }
                return true
            }
            guard isFirst else { return }
            let failure: String?
            do {
                try theirs()
                failure = nil
            } catch { failure = "\(error)" }
            outcomes.withLock { $0[0] = failure }
        }
        defer {
            fileSystem.hear(nil)
            #expect(outcomes.withLock { $0 } == [nil])
        }
        let context = coordinator.context()
        try context.performAndWait { try mine(context) }
    }

    private func interrupt(
        _ other: Other, _ mine: (NSManagedObjectContext) throws -> Void,
        theirs: @escaping @Sendable (NSManagedObjectContext) throws -> Void
    ) throws {
        let coordinator = other == .context ? coordinator : self.other
        try interrupt(at: .file, mine) { try coordinator.write(theirs) }
    }

    private static func change(_ note: NSManagedObject, words: Int) {
        note.setValue(words, forKey: "words")
        note.setValue(text, forKey: "text")
    }

    private static func insertion(of name: String) -> NSBatchInsertRequest {
        NSBatchInsertRequest(entityName: "Tag", objects: [["name": name, "text": text]])
    }

    private func read<R>(_ body: (NSManagedObjectContext) throws -> R) throws -> R {
        let context = try Self.open(directory).context()
        return try context.performAndWait { try body(context) }
    }

    private func words() throws -> [String?: Int?] {
        try read { context in
            let notes = try context.all("Note").map { ($0.text("title"), $0.number("words")) }
            return Dictionary(uniqueKeysWithValues: notes)
        }
    }

    private func wordCount() throws -> Int? { try read { try Self.one("Folder", "letters", $0).number("wordCount") } }

    @Test("a batch update computes from the rows as they are when it is written", arguments: Other.allCases)
    func update(_ other: Other) throws {
        try interrupt(other) { context in
            let request = NSBatchUpdateRequest(entityName: "Note")
            request.propertiesToUpdate = ["words": NSExpression(format: "words + 1"), "text": Self.text]
            _ = try context.execute(request)
        } theirs: { try Self.one("Note", "theirs", $0).setValue(10, forKey: "words") }
        #expect(try words() == ["mine": 2, "theirs": 11])
        #expect(try wordCount() == 13)
    }

    @Test("a batch update changes what comes to match it before it is written", arguments: Other.allCases)
    func match(_ other: Other) throws {
        try interrupt(other) { context in
            let request = NSBatchUpdateRequest(entityName: "Note")
            request.predicate = NSPredicate(format: "title IN {'mine', 'late'}")
            request.propertiesToUpdate = ["words": 7, "text": Self.text]
            _ = try context.execute(request)
        } theirs: { _ = $0.make("Note", ["title": "late", "words": 1]) }
        #expect(try words() == ["mine": 7, "theirs": 1, "late": 7])
    }

    @Test("a batch delete ends what comes to lead to its objects before it is written")
    func delete() throws {
        let other = other
        try interrupt(at: .lock) { context in
            let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Folder")
            _ = try context.execute(NSBatchDeleteRequest(fetchRequest: request))
        } _: {
            try other.write { context in
                let folder = try Self.one("Folder", "letters", context)
                context.make("Note", ["title": "late", "words": 1]).setValue(folder, forKey: "folder")
            }
        }
        let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
        request.predicate = NSPredicate(format: "folder == NIL")
        #expect(try read { try $0.count(for: request) } == 3)
    }

    @Test("a batch insert ignores a unique value that others save before it is written", arguments: Other.allCases)
    func insert(_ other: Other) throws {
        try interrupt(other) { context in
            _ = try context.execute(Self.insertion(of: "blue"))
        } theirs: { _ = $0.make("Tag", ["name": "blue"]) }
        #expect(try read { try $0.strings("Tag", "name") } == ["blue", "red"])
    }

    @Test("a batch insert gets keys that nobody else has", arguments: Other.allCases)
    func keys(_ other: Other) throws {
        try interrupt(other) { context in
            _ = try context.execute(Self.insertion(of: "blue"))
        } theirs: { _ = $0.make("Tag", ["name": "green"]) }
        #expect(try read { try $0.strings("Tag", "name") } == ["blue", "green", "red"])
    }

    @Test("a derived sum has what others saved in other rows before it is written", arguments: Other.allCases)
    func derived(_ other: Other) throws {
        try interrupt(other) { context in
            Self.change(try Self.one("Note", "mine", context), words: 100)
            try context.save()
            #expect(try Self.one("Folder", "letters", context).number("wordCount") == 110)
        } theirs: { try Self.one("Note", "theirs", $0).setValue(10, forKey: "words") }
        #expect(try wordCount() == 110)
    }

    @Test("a derived sum is that of a save that others make a conflict", arguments: Other.allCases)
    func conflict(_ other: Other) throws {
        try interrupt(other) { context in
            context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            Self.change(try Self.one("Note", "mine", context), words: 100)
            try context.save()
        } theirs: { try Self.one("Note", "mine", $0).setValue(nil, forKey: "folder") }
        #expect(try words() == ["mine": 100, "theirs": 1])
        #expect(try wordCount() == 1)
    }

    @Test("a new object of a save that others make a conflict is told of as inserted, and not as refreshed")
    func insertedOnce() throws {
        let refreshed = Mutex<Set<String?>>([])
        let observer = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextDidSave, object: nil, queue: nil
        ) { note in
            guard let context = note.object as? NSManagedObjectContext, context.name == "mine" else { return }
            let objects = note.userInfo?[NSRefreshedObjectsKey] as? Set<NSManagedObject> ?? []
            let notes = objects.filter { $0.entity.name == "Note" }
            refreshed.withLock { $0 = Set(notes.map { $0.text("title") }) }
        }
        defer { NotificationCenter.default.removeObserver(observer) }
        try interrupt(.program) { context in
            context.name = "mine"
            context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
            Self.change(try Self.one("Note", "mine", context), words: 100)
            _ = context.make("Note", ["title": "new", "words": 1])
            try context.save()
        } theirs: { context in
            try Self.one("Note", "mine", context).setValue(7, forKey: "words")
            _ = context.make("Note", ["title": "theirs too", "words": 1])
        }
        #expect(try words() == ["mine": 100, "theirs": 1, "new": 1, "theirs too": 1])
        #expect(!refreshed.withLock { $0.contains("new") })
    }

    @Test("a large value has its file, though others remove files that no record names before it is written")
    func file() throws {
        let place = directory.file("Notes.sqlite-log").path
        try interrupt(at: .lock) { context in
            Self.change(try Self.one("Note", "mine", context), words: 1)
            try context.save()
        } _: {
            let log = try SegmentLog.open(directory: place, forWriting: true)
            defer { log.close() }
            #expect(try LogMaintenance(log).collectExternalValues().count == 1)
        }
        #expect(try read { try Self.one("Note", "mine", $0).value(forKey: "text") as? Data } == Self.text)
    }

    @Test("a large value has its file, though the file could not be made before the save had the lock")
    func fileThatFails() throws {
        let isRefused = Atomic(false)
        fileSystem.hear { (call, path) throws(FileError) in
            guard Moment.file.isReached(call, path), !isRefused.exchange(true, ordering: .relaxed) else { return }
            throw FileError("make it", path: path, errno: ENOSPC)
        }
        try coordinator.write { Self.change(try Self.one("Note", "mine", $0), words: 1) }
        fileSystem.hear(nil)
        let wasRefused = isRefused.load(ordering: .relaxed)
        #expect(wasRefused)
        let files = try FileManager.default.contentsOfDirectory(atPath: directory.path + "/Notes.sqlite-log/external")
        #expect(files.count == 1)
        #expect(try read { try Self.one("Note", "mine", $0).value(forKey: "text") as? Data } == Self.text)
    }

    @Test("metadata that is set is written with a derived save whose values are computed again")
    func metadata() throws {
        let store = try #require(coordinator.persistentStores.first)
        store.metadata["topic"] = "letters"
        try interrupt(.program) { context in
            Self.change(try Self.one("Note", "mine", context), words: 100)
            try context.save()
        } theirs: { try Self.one("Note", "theirs", $0).setValue(10, forKey: "words") }
        let known = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            type: .sqlite, at: directory.file("Notes.sqlite"))
        #expect(known["topic"] as? String == "letters")
    }

    @Test("derived sums are right when several threads save at once")
    func threads() throws {
        let (threadCount, saveCount) = (4, 20)
        try coordinator.write { context in
            let folder = try Self.one("Folder", "letters", context)
            for index in 0..<threadCount {
                context.make("Note", ["title": "\(index)", "words": 0]).setValue(folder, forKey: "folder")
            }
        }
        let failures = Mutex<[String]>([])
        DispatchQueue.concurrentPerform(iterations: threadCount) { index in
            let context = coordinator.context()
            context.performAndWait {
                do {
                    let note = try Self.one("Note", "\(index)", context)
                    for words in 1...saveCount {
                        note.setValue(words, forKey: "words")
                        try context.save()
                    }
                } catch { failures.withLock { $0.append("\(error)") } }
            }
        }
        #expect(failures.withLock { $0 } == [])
        #expect(try wordCount() == threadCount * saveCount + 2)
    }
}
