import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

/// Section (b): what a conflict tells, and in which order conflicts come.
@Suite("Conformance (b): conflicts")
struct MergeConflictConformanceTests {
    let directory: TemporaryDirectory
    let coordinator: NSPersistentStoreCoordinator
    let first: NSManagedObjectContext
    let second: NSManagedObjectContext

    init() throws {
        directory = try TemporaryDirectory()
        coordinator = try Library.onDisk(directory)
        first = coordinator.context()
        second = coordinator.context()
    }

    /// Notes what it is asked, and resolves as object trump does.
    final class Recording: NSMergePolicy, @unchecked Sendable {
        private(set) var calls: [String] = []
        private(set) var locking: [NSMergeConflict] = []
        private(set) var constraints: [NSConstraintConflict] = []

        override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
            if !list.isEmpty { calls.append("locking") }
            locking += list
            try super.resolve(optimisticLockingConflicts: list)
        }

        override func resolve(constraintConflicts list: [NSConstraintConflict]) throws {
            if !list.isEmpty { calls.append("constraint") }
            constraints += list
            try super.resolve(constraintConflicts: list)
        }
    }

    /// The conflict of a save of `first` that is lost to `change`, made by `other`.
    private func conflict(
        with other: NSManagedObjectContext, _ change: (NSManagedObject) -> Void
    ) throws -> NSMergeConflict {
        let ada = first.make("Author", ["name": "Ada", "age": 36])
        try first.save()
        let uri = ada.objectID.uriRepresentation()
        let id = try #require(other.persistentStoreCoordinator?.managedObjectID(forURIRepresentation: uri))
        change(try other.existingObject(with: id))
        try other.save()
        ada.setValue("Mine", forKey: "name")
        let policy = Recording(merge: .mergeByPropertyObjectTrumpMergePolicyType)
        first.mergePolicy = policy
        try first.save()
        #expect(policy.locking.first?.sourceObject === ada)
        return try #require(policy.locking.first)
    }

    /// [H][FCD] The other context saved through the same coordinator: its row cache is ahead.
    @Test("b.4 a conflict with the row cache has a cached snapshot and no persisted one")
    func rowCache() throws {
        let conflict = try conflict(with: second) { $0.setValue("Theirs", forKey: "name") }
        #expect(conflict.objectSnapshot?["name"] as? String == "Ada")
        #expect(conflict.cachedSnapshot?["name"] as? String == "Theirs")
        #expect(conflict.persistedSnapshot == nil)
        #expect(conflict.newVersionNumber > conflict.oldVersionNumber)
    }

    /// [H][FCD] Another coordinator saved: the row cache is behind the store.
    @Test(
        "b.4 a conflict with the store has both snapshots",
        .disabled(if: StoresOnServer.isAsked, "the cache of a store on a server is not behind for long"))
    func store() throws {
        let elsewhere = try Library.onDisk(directory).context()
        let conflict = try conflict(with: elsewhere) { $0.setValue("Theirs", forKey: "name") }
        #expect(conflict.cachedSnapshot?["name"] as? String == "Ada")
        #expect(conflict.persistedSnapshot?["name"] as? String == "Theirs")
    }

    /// [H] A new version of zero says that there is nothing any more.
    @Test("b.4 where the object was deleted, the new version is 0 and there is no cached snapshot")
    func deleted() throws {
        let conflict = try conflict(with: second) { self.second.delete($0) }
        #expect(conflict.newVersionNumber == 0)
        #expect(conflict.cachedSnapshot == nil)
        #expect(conflict.persistedSnapshot == nil)
    }

    /// [H] Attributes by value, to-one relationships by ID, nulls as `NSNull`; to-many relationships are no part of it.
    @Test("b.5 a snapshot has attributes and to-one relationships as IDs, and no to-many")
    func snapshot() throws {
        let ada = first.make("Author", ["name": "Ada"])
        let book = first.make("Book", ["title": "Notes", "author": ada])
        try first.save()
        let theirs = try second.existingObject(with: book.objectID)
        theirs.setValue(12, forKey: "pages")
        try second.save()
        book.setValue("Mine", forKey: "title")
        let error = #expect(throws: NSError.self) { try first.save() }
        let conflict = try #require((error?.userInfo["conflictList"] as? [NSMergeConflict])?.first)
        let snapshot = try #require(conflict.objectSnapshot)
        #expect(Set(snapshot.keys) == ["title", "pages", "author"])
        #expect(snapshot["title"] as? String == "Notes")
        #expect(snapshot["pages"] is NSNull)
        #expect(snapshot["author"] as? NSManagedObjectID == ada.objectID)
    }

    /// [H] Objects that changed elsewhere are settled before values are compared with other rows.
    @Test("b.6 locking conflicts are resolved before constraint conflicts")
    func order() throws {
        let coordinator = try Library.inMemory(ModelSketch.correspondence())
        let (first, second) = (coordinator.context(), coordinator.context())
        let ada = first.make("Person", ["email": "ada@a", "name": "Ada"])
        _ = first.make("Person", ["email": "bob@b"])
        try first.save()
        try second.existingObject(with: ada.objectID).setValue("Theirs", forKey: "name")
        try second.save()
        ada.setValue("Mine", forKey: "name")
        _ = first.make("Person", ["email": "bob@b"])
        let policy = Recording(merge: .mergeByPropertyObjectTrumpMergePolicyType)
        first.mergePolicy = policy
        try first.save()
        #expect(policy.calls == ["locking", "constraint"])
    }

    /// [H] The entry for both kinds calls the entries for each, lock conflicts first.
    @Test("b.9 resolve(mergeConflicts:) calls the two partial resolvers, which can be overridden")
    func partialResolvers() throws {
        let ada = first.make("Author", ["name": "Ada"])
        try first.save()
        let locking = NSMergeConflict(
            source: ada, newVersion: 2, oldVersion: 1, cachedSnapshot: ["name": "Ada"], persistedSnapshot: nil)
        let constraint = NSConstraintConflict(
            constraint: ["name"], database: nil, databaseSnapshot: nil, conflicting: [ada], conflictingSnapshots: [[:]])
        let policy = Recording(merge: .errorMergePolicyType)
        #expect(throws: NSError.self) { try policy.resolve(mergeConflicts: [constraint, locking]) }
        #expect(policy.calls == ["locking"])
        let lenient = Recording(merge: .rollbackMergePolicyType)
        try lenient.resolve(mergeConflicts: [constraint, locking])
        #expect(lenient.calls == ["locking", "constraint"])
    }

    /// [H] A subclass that sets values itself has them saved.
    @Test("b.9 what an overridden resolver sets in the object is saved")
    func ownResolution() throws {
        final class Joining: NSMergePolicy, @unchecked Sendable {
            override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
                for conflict in list {
                    let mine = conflict.sourceObject.text("name") ?? ""
                    let theirs = conflict.cachedSnapshot?["name"] as? String ?? ""
                    conflict.sourceObject.setValue(mine + "+" + theirs, forKey: "name")
                }
            }
        }
        let ada = first.make("Author", ["name": "Ada", "age": 36])
        try first.save()
        let theirs = try second.existingObject(with: ada.objectID)
        theirs.setValue("Theirs", forKey: "name")
        theirs.setValue(40, forKey: "age")
        try second.save()
        ada.setValue("Mine", forKey: "name")
        first.mergePolicy = Joining(merge: .mergeByPropertyObjectTrumpMergePolicyType)
        try first.save()
        let reader = coordinator.context()
        let stored = try reader.existingObject(with: ada.objectID)
        #expect(stored.text("name") == "Mine+Theirs")
        #expect(stored.number("age") == 40)
        withExtendedLifetime(reader) {}
    }
}
