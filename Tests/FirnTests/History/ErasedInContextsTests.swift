import Firn
import FirnLog
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

/// A name that is erased while other contexts hold it, in this coordinator, in another one and in a child. A save of
/// theirs after it may not bring it back: not as an old value, not with another property, not with a deletion.
@Suite("Contexts that hold a value which is erased")
struct ErasedInContextsTests {
    enum Edit: String, CaseIterable, Sendable {
        case another = "sets another property", same = "sets the property", delete = "deletes the object"
        case relate = "relates it to a new object", undo = "undoes a change of another property"
    }

    enum Place: String, CaseIterable, Sendable { case here, elsewhere, child }

    struct Case: CustomTestStringConvertible, Sendable {
        let edit: Edit
        let place: Place
        let isEarly: Bool
        let policy: NSMergePolicyType

        var testDescription: String {
            "\(place): \(edit.rawValue) \(isEarly ? "before" : "after"), policy \(policy.rawValue)"
        }
    }

    static let cases = Edit.allCases.flatMap { edit in
        Place.allCases.flatMap { place in
            [true, false].flatMap { isEarly in
                [
                    NSMergePolicyType.errorMergePolicyType, .mergeByPropertyStoreTrumpMergePolicyType,
                    .mergeByPropertyObjectTrumpMergePolicyType, .rollbackMergePolicyType,
                ].map { Case(edit: edit, place: place, isEarly: isEarly, policy: $0) }
            }
        }
    }

    private static let secret = "xyzzy-nobody-may-know"

    @Test("may know an object that another coordinator has deleted or changed", arguments: [true, false])
    func changedElsewhere(isDeleted: Bool) throws {
        let directory = try TemporaryDirectory()
        let coordinator = try Library.onDisk(directory)
        let writer = coordinator.context()
        let ada = writer.make("Author", ["name": Self.secret, "age": 36])
        try writer.save()
        let other = try Library.onDisk(directory).context()
        let same = try #require(try other.all("Author").first)
        if isDeleted { other.delete(same) } else { same.setValue(37, forKey: "age") }
        try other.save()
        #expect(try coordinator.erase(ada.objectID, property: "name") > 0)
        #expect(try names(directory.file("Library.sqlite")).isEmpty)
        #expect(try coordinator.context().all("Author").count == (isDeleted ? 0 : 1))
    }

    @Test("bring nothing of it back into the log", arguments: cases)
    func nothingComesBack(_ one: Case) throws {
        let directory = try TemporaryDirectory()
        let url = directory.file("Library.sqlite")
        let coordinator = try Library.onDisk(directory)
        let writer = coordinator.context()
        let ada = writer.make("Author", ["name": Self.secret, "age": 36])
        try writer.save()
        try #require(try !names(url).isEmpty)
        let reader = one.place == .elsewhere ? try Library.onDisk(directory).context() : coordinator.context()
        reader.mergePolicy = NSMergePolicy(merge: one.policy)
        let manager = FirnFoundation.UndoManager()
        manager.groupsByEvent = false
        var context = reader
        if one.place == .child {
            context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            context.parent = reader
        }
        context.undoManager = manager
        try context.performAndWait {
            let author = try #require(try context.all("Author").first)
            #expect(author.value(forKey: "name") as? String == Self.secret)
            if one.isEarly { edit(author, one.edit, context) }
            try coordinator.erase(ada.objectID, property: "name")
            if !one.isEarly { edit(author, one.edit, context) }
            for saved in [context, reader] {
                // A save that is refused changes nothing; the next attempt is of what the context then shows.
                do { try saved.performAndWait { try saved.save() } } catch {
                    try saved.performAndWait {
                        saved.refreshAllObjects()
                        try saved.save()
                    }
                }
            }
        }
        #expect(try names(url).isEmpty)
        withExtendedLifetime(reader) {}
    }

    private func edit(_ author: NSManagedObject, _ edit: Edit, _ context: NSManagedObjectContext) {
        func event(_ body: () -> Void) {
            context.undoManager?.beginUndoGrouping()
            body()
            context.processPendingChanges()
            context.undoManager?.endUndoGrouping()
        }
        switch edit {
        case .another: event { author.setValue(37, forKey: "age") }
        case .same: event { author.setValue("Ada", forKey: "name") }
        case .delete: event { context.delete(author) }
        case .relate: event { context.make("Book", ["title": "Notes"]).setValue(author, forKey: "author") }
        case .undo:
            event { author.setValue(37, forKey: "age") }
            context.undoManager?.undo()
            event { author.setValue(38, forKey: "age") }
        }
    }

    /// The records that have the name, as an old or a new value.
    private func names(_ url: URL) throws -> [SequenceNumber] {
        let log = try SegmentLog.open(directory: url.path + "-log", forWriting: false)
        let replay = try log.replay()
        var found: [SequenceNumber] = []
        while let record = try replay.next() { if record.holds(Self.secret) { found.append(record.sequence) } }
        return found
    }
}
