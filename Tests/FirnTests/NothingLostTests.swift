import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

/// What goes wrong outside costs no change that a context holds.
@Suite("Nothing is lost by a throwing hook or policy, or by what observers do")
struct NothingLostTests {
    struct Refusal: Error {}

    @Test("a merge policy that throws leaves all changes, and the save can be repeated")
    func policy() throws {
        let (context, mine) = try Dispute.make()
        let new = context.make("Book", ["title": "Notes"])
        context.mergePolicy = Meddling { throw Refusal() }
        #expect(throws: Refusal.self) { try context.save() }
        #expect(context.insertedObjects == [new])
        #expect(context.updatedObjects == [mine])
        #expect(new.objectID.isTemporaryID)
        context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        try context.save()
        let reader = try #require(context.persistentStoreCoordinator).context()
        #expect(try reader.strings("Author", "name") == ["Mine"])
        #expect(try reader.strings("Book", "title") == ["Notes"])
    }

    @Test("a merge policy that throws after it has decided leaves what it decided, and the save can be repeated")
    func policyThatGivesUp() throws {
        let (context, mine) = try Dispute.make()
        let policy = Meddling {}
        policy.afterwards = { throw Refusal() }
        context.mergePolicy = policy
        #expect(throws: Refusal.self) { try context.save() }
        #expect(context.updatedObjects == [mine])
        #expect(mine.text("name") == "Mine")
        policy.afterwards = nil
        try context.save()
        #expect(try #require(context.persistentStoreCoordinator).context().strings("Author", "name") == ["Mine"])
    }

    @Test("a merge policy that throws over a violated constraint leaves all changes")
    func constraintPolicy() throws {
        let coordinator = try Library.inMemory(ModelSketch.correspondence())
        let context = coordinator.context()
        _ = context.make("Person", ["email": "ada@a", "name": "Ada"])
        try context.save()
        let new = context.make("Person", ["email": "ada@a", "name": "Eve"])
        context.mergePolicy = Meddling { throw Refusal() }
        #expect(throws: Refusal.self) { try context.save() }
        #expect(context.insertedObjects == [new])
        context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        try context.save()
        #expect(try coordinator.context().strings("Person", "name") == ["Eve"])
    }

    @Test("a hook that throws in a child's save leaves the child's changes, and its parent as it was")
    func child() throws {
        let parent = try Library.inMemory(Troubled.model()).context()
        let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        child.parent = parent
        let sound = child.make("Troubled", ["name": "Sound"])
        let troubled = try #require(child.make("Troubled", ["name": "Troubled"]) as? Troubled)
        troubled.onValidate = { throw Refusal() }
        #expect(throws: Refusal.self) { try child.save() }
        #expect(child.insertedObjects == [sound, troubled])
        #expect(!parent.hasChanges)
        troubled.onValidate = nil
        try child.save()
        #expect(parent.insertedObjects.count == 2)
    }

    @Test("a block that throws gives its error to who waits for it, and what it had changed is told and stays")
    func block() async throws {
        let context = try Library.inMemory().context()
        let changes = Recorder(.NSManagedObjectContextObjectsDidChange, context)
        await #expect(throws: Refusal.self) {
            try await context.perform {
                _ = context.make("Author", ["name": "Ada"])
                throw Refusal()
            }
        }
        #expect(changes.notifications.count == 1)
        #expect(throws: Refusal.self) {
            try context.performAndWait {
                _ = context.make("Author", ["name": "Bob"])
                throw Refusal()
            }
        }
        try await context.perform { try context.save() }
        let reader = try #require(context.persistentStoreCoordinator).context()
        #expect(try reader.strings("Author", "name") == ["Ada", "Bob"])
    }

    @Test("what a merge policy inserts, changes and deletes is part of the save")
    func policyThatEdits() throws {
        let (context, mine) = try Dispute.make()
        let doomed = context.make("Tag", ["label": "Doomed"])
        context.mergePolicy = Meddling {
            mine.setValue("Decided", forKey: "name")
            context.delete(doomed)
            _ = context.make("Book", ["title": "Minutes"])
        }
        try context.save()
        #expect(!context.hasChanges)
        let reader = try #require(context.persistentStoreCoordinator).context()
        #expect(try reader.strings("Author", "name") == ["Decided"])
        #expect(try reader.strings("Book", "title") == ["Minutes"])
        #expect(try reader.all("Tag").isEmpty)
    }

    @Test("an error of a validation hook is the save's own, and all changes stay")
    func validation() throws {
        let context = try Library.inMemory(Troubled.model()).context()
        let (changed, doomed) = (context.make("Troubled"), context.make("Troubled"))
        try context.save()
        let new = context.make("Troubled", ["name": "New"])
        changed.setValue("Changed", forKey: "name")
        context.delete(doomed)
        for object in [new, changed, doomed] {
            (object as? Troubled)?.onValidate = { throw Refusal() }
            #expect(throws: Refusal.self, "\(object)") { try context.save() }
            (object as? Troubled)?.onValidate = nil
            #expect(context.insertedObjects == [new])
            #expect(context.updatedObjects == [changed])
            #expect(context.deletedObjects == [doomed])
        }
        for object in [new, changed] { (object as? Troubled)?.onValidate = { throw Refusal() } }
        let error = #expect(throws: NSError.self) { try context.save() }
        #expect(error?.code == NSValidationMultipleErrorsError)
        let details = error?.userInfo[NSDetailedErrorsKey] as? [NSError]
        #expect(details?.map(\.domain) == Array(repeating: (Refusal() as NSError).domain, count: 2))
        for object in [new, changed] { (object as? Troubled)?.onValidate = nil }
        try context.save()
        let reader = try #require(context.persistentStoreCoordinator).context()
        #expect(try reader.strings("Troubled", "name") == ["New", "Changed"])
    }

    @Test("a validation that replaces a value for ever fails the save, which goes through when it stops")
    func endlessReplacement() throws {
        let context = try Library.inMemory(Troubled.model()).context()
        let object = try #require(context.make("Troubled", ["name": "a"]) as? Troubled)
        let other = context.make("Troubled", ["name": "Other"])
        object.replacement = { ($0 ?? "") + "a" }
        let error = #expect(throws: NSError.self) { try context.save() }
        #expect(error?.localizedDescription.contains("replace a value only with one that is then accepted") == true)
        #expect(context.insertedObjects == [object, other])
        object.replacement = nil
        try context.save()
        #expect(try #require(context.persistentStoreCoordinator).context().all("Troubled").count == 2)
    }

    @Test("a willSave that changes its object for ever fails the save, which goes through when it stops")
    func endlessWillSave() throws {
        let context = try Library.inMemory(Witness.model()).context()
        let object = try #require(context.make("Witness") as? Witness)
        let other = context.make("Witness", ["name": "Other"])
        object.onWillSave = { $0.setValue(($0.number("count") ?? 0) + 1, forKey: "count") }
        let error = #expect(throws: NSError.self) { try context.save() }
        #expect(error?.localizedDescription.contains("compare before you set, or use primitive values") == true)
        #expect(context.insertedObjects == [object, other])
        object.onWillSave = nil
        try context.save()
        #expect(try #require(context.persistentStoreCoordinator).context().all("Witness").count == 2)
    }

    @Test("what didSave changes is kept for the next save")
    func didSave() throws {
        let context = try Library.inMemory(Witness.model()).context()
        let object = try #require(context.make("Witness") as? Witness)
        object.onDidSave = {
            $0.onDidSave = nil
            $0.setValue(1, forKey: "count")
        }
        try context.save()
        #expect(context.updatedObjects == [object])
        try context.save()
        let reader = try #require(context.persistentStoreCoordinator).context()
        #expect(try reader.all("Witness").map { $0.number("count") } == [1])
    }

    @Test("what prepareForDeletion inserts and deletes is part of the save")
    func prepareForDeletion() throws {
        let context = try Library.inMemory(Troubled.model()).context()
        let (object, partner) = (context.make("Troubled"), context.make("Troubled"))
        try context.save()
        (object as? Troubled)?.onDeletion = {
            context.delete(partner)
            _ = context.make("Troubled", ["name": "Trace"])
        }
        context.delete(object)
        try context.save()
        #expect(try #require(context.persistentStoreCoordinator).context().all("Troubled").count == 1)
    }
}

/// A context whose unsaved change of an author's name collides with one that another context has saved.
enum Dispute {
    static func make() throws -> (context: NSManagedObjectContext, object: NSManagedObject) {
        let coordinator = try Library.inMemory()
        let (context, other) = (coordinator.context(), coordinator.context())
        let mine = context.make("Author", ["name": "Ada"])
        try context.save()
        try other.existingObject(with: mine.objectID).setValue("Theirs", forKey: "name")
        try other.save()
        mine.setValue("Mine", forKey: "name")
        return (context, mine)
    }
}

/// A merge policy that does something of a test's own, then lets the object win.
final class Meddling: NSMergePolicy, @unchecked Sendable {
    private let body: () throws -> Void
    var afterwards: (() throws -> Void)?

    init(_ body: @escaping () throws -> Void) {
        self.body = body
        super.init(merge: .mergeByPropertyObjectTrumpMergePolicyType)
    }

    override func resolve(mergeConflicts list: [Any]) throws {
        try body()
        try super.resolve(mergeConflicts: list)
        try afterwards?()
    }
}

/// A managed object whose validation and deletion do what a test hands in.
final class Troubled: NSManagedObject {
    var onValidate: (() throws -> Void)?
    var onDeletion: (() -> Void)?
    /// Makes another name of the one that is validated.
    var replacement: ((String?) -> String)?

    override func validateForInsert() throws { try validate { try super.validateForInsert() } }
    override func validateForUpdate() throws { try validate { try super.validateForUpdate() } }
    override func validateForDelete() throws { try validate { try super.validateForDelete() } }
    override func prepareForDeletion() { onDeletion?() }

    private func validate(_ checkProperties: () throws -> Void) throws {
        try checkProperties()
        try onValidate?()
    }

    override func validateValue(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>, forKey key: String) throws {
        if key == "name", let replacement { value.pointee = replacement(value.pointee as? String) as NSString }
        try super.validateValue(value, forKey: key)
    }

    static func model() -> NSManagedObjectModel {
        let entity = ModelSketch.entity("Troubled", [ModelSketch.attribute("name")])
        entity.managedObjectClassName = "FirnTests.Troubled"
        return ModelSketch.model(entity)
    }
}
