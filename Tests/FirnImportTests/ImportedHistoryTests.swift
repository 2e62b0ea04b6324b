import Firn
import FirnImport
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

/// What Apple's history becomes.
@Suite("Imported history")
struct ImportedHistoryTests {
    /// Folder 7 and tag 1 before history; save 1 adds notes 1, 2 and 4; save 2 gives note 1 its title and adds note 3
    /// with a friend; save 3 adds folder 8, puts note 1 into it, deletes note 2; note 4 left no trace.
    private static let rows = """
        INSERT INTO ZFOLDER VALUES (7, 2, 1, 'Old', 'year', NULL), (8, 3, 1, 'New', NULL, 'today');
        INSERT INTO ZNOTE VALUES
          (1, 4, 3, 11, 8, 3, 3072, NULL, 700000000, NULL, NULL, 10, 'one', NULL, NULL),
          (3, 4, 1, -3, 7, 2, 2048, NULL, NULL, NULL, NULL, NULL, 'three', NULL, NULL);
        INSERT INTO ZTAG VALUES (1, 5, 1, 'red');
        INSERT INTO Z_4FRIENDS VALUES (1, 3);
        INSERT INTO Z_4TAGS VALUES (1, 1, 1024);
        INSERT INTO ATRANSACTIONSTRING VALUES (1, 16003, NULL, 'sync'), (2, 16003, NULL, 'org.example.notes'),
          (3, 16003, NULL, 'editor'), (4, 16003, NULL, 'Notes');
        INSERT INTO ATRANSACTION (Z_PK, ZAUTHORTS, ZBUNDLEIDTS, ZCONTEXTNAMETS, ZPROCESSIDTS, ZTIMESTAMP) VALUES
          (1, 1, 2, NULL, 4, 700000000.25), (2, NULL, 2, 3, 4, 700000100.5), (3, 1, 2, 3, 4, 700000200);
        INSERT INTO ACHANGE (ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID, ZCOLUMNS, ZTOMBSTONE0) VALUES
          (0, 4, 1, 1, NULL, NULL), (0, 4, 2, 1, NULL, NULL), (0, 4, 4, 1, NULL, NULL),
          (1, 4, 1, 2, x'0080', NULL), (0, 4, 3, 2, NULL, NULL),
          (0, 3, 8, 3, NULL, NULL), (1, 4, 1, 3, x'20', NULL), (2, 4, 2, 3, NULL, 'two');
        """

    private let old: OldStore
    private let report: AppleStoreImport.Report
    private let store: ImportedStore

    init() throws {
        old = try OldStore(Self.rows)
        report = try AppleStoreImport(from: old.url, to: old.target, modelURL: old.modelURL).run()
        store = try ImportedStore(old.target)
    }

    private func transactions() throws -> [NSPersistentHistoryTransaction] {
        let context = store.coordinator.context()
        return try context.performAndWait {
            let result = try context.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast))
            return (result as? NSPersistentHistoryResult)?.result as? [NSPersistentHistoryTransaction] ?? []
        }
    }

    private func objects(_ transaction: Int, _ entity: String) throws -> [String: [String: Any]] {
        let all = try transactions().filter { $0.bundleID == "org.example.notes" }
        let context = try store.coordinator.newContext(asOf: .date(all[transaction].timestamp))
        return try context.performAndWait {
            var found: [String: [String: Any]] = [:]
            for object in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: entity)) {
                found[ImportedStore.name(object)] = ["title", "number", "folder", "tags", "friends"].reduce(into: [:]) {
                    $0[$1] = object.value(forKey: $1)
                }
            }
            return found
        }
    }

    @Test("has the transactions with dates, authors, contexts, bundles and processes")
    func transactionsTell() throws {
        let found = try transactions().filter { $0.bundleID == "org.example.notes" }
        #expect(found.map(\.timestamp.timeIntervalSinceReferenceDate) == [700_000_000.25, 700_000_100.5, 700_000_200])
        #expect(found.map(\.author) == ["sync", nil, "sync"])
        #expect(found.map(\.contextName) == [nil, "editor", "editor"])
        #expect(report.transactionCount == 3)
        #expect(report.changeCount == 8)
    }

    @Test("has the changes, the properties that updates wrote, and tombstones")
    func changes() throws {
        let found = try transactions().filter { $0.bundleID == "org.example.notes" }
        let told = found.map { transaction in
            Set((transaction.changes ?? []).map { change in
                let kind = ["+", "~", "-"][change.changeType.rawValue]
                let name = change.changedObjectID.uriRepresentation().pathComponents.suffix(2).joined(separator: "/")
                return kind + name + (change.updatedProperties ?? []).map { " " + $0.name }.sorted().joined()
            })
        }
        #expect(told[0] == ["+Note/p1", "+Note/p2"])
        #expect(told[1] == ["~Note/p1 title", "+Note/p3"])
        #expect(told[2] == ["+SmartFolder/p8", "~Note/p1 folder", "-Note/p2"])
        let deletion = found[2].changes?.first { $0.changeType == .delete }
        #expect(deletion?.tombstone?["title"] as? String == "two")
    }

    @Test("says of the past what is certain, and nothing else")
    func past() throws {
        let first = try objects(0, "Note")
        #expect(Set(first.keys) == ["Note/p1", "Note/p2"])
        #expect(first["Note/p1"]?["title"] == nil)
        #expect(first["Note/p1"]?["number"] as? Int64 == 11)
        #expect(first["Note/p1"]?["folder"] == nil)
        #expect(first["Note/p2"]?["title"] as? String == "two")
        #expect((first["Note/p1"]?["friends"] as? NSSet)?.count == 0)
        let second = try objects(1, "Note")
        #expect(second["Note/p1"]?["title"] as? String == "one")
        #expect((second["Note/p1"]?["friends"] as? NSSet)?.count == 1)
        let third = try objects(2, "Note")
        #expect(Set(third.keys) == ["Note/p1", "Note/p3"])
    }

    @Test("ends with what the store holds")
    func present() throws {
        let found = try store.objects()
        #expect(found["Note/p1"]?["folder"] == "SmartFolder/p8")
        #expect(found["Note/p3"]?["folder"] == "Archive/p7")
        #expect(found["Note/p1"]?["tags"] == "Tag/p1")
        #expect(found.count == 5)
        #expect(report.notes == ["1 objects in the history came and went without a trace; they are left out"])
        let dumps = try StoredTables.dumps(old.target)
        #expect(dumps.present == dumps.rebuilt)
    }
}
