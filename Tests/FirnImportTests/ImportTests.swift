import Firn
import FirnImport
import FirnLog
import FirnModel
import FirnSQLite
import Foundation
import StoreSupport
import TestSupport
import Testing

/// Imports of stores that have what the corpus' stores have not.
@Suite("Import of a store of Apple's")
struct AppleStoreImportTests {
    private func imported(_ old: OldStore) throws -> ImportedStore {
        _ = try AppleStoreImport(from: old.url, to: old.target, modelURL: old.modelURL).run()
        return try ImportedStore(old.target, holding: old)
    }

    private func withFile(_ old: OldStore) throws -> OldStore {
        try old.addExternal("FILE", Data([9, 8, 7]))
        return old
    }

    @Test("gives every value, of columns that share a name too")
    func values() throws {
        let found = try imported(withFile(OldStore())).objects()
        #expect(found["Archive/p7"]?["rule"] == "text year")
        #expect(found["SmartFolder/p8"]?["rule"] == "text today")
        #expect(found["Folder/p9"]?["name"] == "text Plain")
        let one = try #require(found["Note/p1"])
        #expect(one["title"] == "text one")
        #expect(one["number"] == "number 11.0")
        #expect(one["created"] == "date 700000000.0")
        #expect(one["price"] == "decimal 10")
        #expect(found["Note/p2"]?["price"] == "decimal 0.1")
        #expect(found["Note/p3"]?["price"] == "decimal 100000000000000000000")
        #expect(found["Note/p3"]?["title"] == "nil")
    }

    @Test("gives the leaves of composites")
    func composites() throws {
        let store = try imported(withFile(OldStore()))
        let context = store.coordinator.context()
        let names = try context.performAndWait {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
            request.predicate = NSPredicate(format: "place.latitude == 48.5 AND place.longitude == 2.25")
            return try context.fetch(request).map(ImportedStore.name)
        }
        #expect(names == ["Note/p1"])
    }

    @Test("gives data from rows and from files")
    func data() throws {
        let found = try imported(withFile(OldStore())).objects()
        #expect(found["Note/p1"]?["body"] == "data " + Data([0xAA, 0xBB]).base64EncodedString())
        #expect(found["Note/p2"]?["body"] == "data " + Data([9, 8, 7]).base64EncodedString())
        #expect(found["Note/p3"]?["body"] == "data " + Data([0, 0xFF]).base64EncodedString())
    }

    @Test("keeps large data in a file of its own, and knows it again")
    func largeData() throws {
        let old = try OldStore()
        let large = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
        try old.addExternal("FILE", large)
        let store = try imported(old)
        #expect(try store.objects()["Note/p2"]?["body"] == "data " + large.base64EncodedString())
        let log = try SegmentLog.open(directory: old.target.path + "-log", forWriting: false)
        let reference = large.withUnsafeBytes { ExternalReference(to: $0) }
        #expect(try log.externalReferences() == [reference])
        #expect(try LogMaintenance(log).verify().problems == [])
    }

    @Test("gives relationships of all kinds, in their order")
    func relationships() throws {
        let found = try imported(withFile(OldStore())).objects()
        #expect(found["Note/p1"]?["folder"] == "Archive/p7")
        #expect(found["Archive/p7"]?["notes"] == "Note/p3 Note/p1 Note/p2")
        #expect(found["Note/p1"]?["tags"] == "Tag/p2 Tag/p1")
        #expect(found["Tag/p1"]?["notes"] == "Note/p1 Note/p2")
        #expect(found["Tag/p1"]?["favourites"] == "Note/p1 Note/p2")
        #expect(found["Note/p2"]?["friends"] == "Note/p1")
        #expect(found["Note/p3"]?["friends"] == "Note/p3")
    }

    @Test("keeps room behind ordered members, and never gives a key again")
    func goesOn() throws {
        let store = try imported(withFile(OldStore()))
        let context = store.coordinator.context()
        try context.performAndWait {
            let note = NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
            let archive = try #require(try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Archive")).first)
            note.setValue(archive, forKey: "folder")
            try context.save()
            #expect(ImportedStore.name(note) == "Note/p10")
            context.refreshAllObjects()
            let names = (archive.value(forKey: "notes") as? NSOrderedSet)?.array.map {
                ImportedStore.name($0 as! NSManagedObject)
            }
            #expect(names == ["Note/p3", "Note/p1", "Note/p2", "Note/p10"])
        }
    }

    @Test("reads what is only in the journal yet, and leaves it there")
    func journal() throws {
        let old = try withFile(OldStore(pragma: "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0"))
        let before = try Data(contentsOf: old.directory.file("Old.sqlite-wal"))
        #expect(try imported(old).objects().count == 8)
        #expect(try Data(contentsOf: old.directory.file("Old.sqlite-wal")) == before)
    }

    @Test("says what it brought over, and ignores columns that the model does not have")
    func report() throws {
        let old = try withFile(OldStore())
        let report = try AppleStoreImport(from: old.url, to: old.target, modelURL: old.modelURL).run()
        #expect(report.objectCounts == ["Archive": 1, "Folder": 1, "SmartFolder": 1, "Note": 3, "Tag": 2])
        #expect(report.linkCount == 8)
        #expect(report.externalValueCount == 1)
        #expect(report.storeID.uuidString == OldStore.identifier)
        #expect(report.notes == [])
    }

    @Test("brings over what the application put into the metadata")
    func metadata() throws {
        let store = try imported(withFile(OldStore()))
        #expect(store.coordinator.persistentStores[0].metadata["owner"] as? String == "Ada")
    }

    @Test("says that a file of external data is missing, or skips it")
    func missingFile() throws {
        let old = try OldStore()
        var work = AppleStoreImport(from: old.url, to: old.target, modelURL: old.modelURL)
        let error = #expect(throws: AppleStoreError.self) { try work.run() }
        #expect(error?.code == .missingExternalData)
        #expect(error?.message.contains("Note.body of object 2") == true)
        work.skipsMissingExternalData = true
        let report = try work.run()
        #expect(report.notes.count == 1)
        #expect(try ImportedStore(old.target).objects()["Note/p2"]?["body"] == "nil")
    }
}
