import Firn
import FirnModel
import Foundation
import StoreSupport
import TestSupport
import Testing

/// Section (d): identity, faults, change tracking and the hooks of an object's life.
@Suite("Conformance (d): objects")
struct ObjectConformanceTests {
    let coordinator: NSPersistentStoreCoordinator
    let context: NSManagedObjectContext

    init() throws {
        coordinator = try Library.inMemory()
        context = coordinator.context()
    }

    private func savedID() throws -> NSManagedObjectID {
        let writer = coordinator.context()
        let author = writer.make("Author", ["name": "Ada", "nickname": "A."])
        writer.make("Book", ["title": "Notes"]).setValue(author, forKey: "author")
        try writer.save()
        return author.objectID
    }

    /// [H] However an object is reached, it is the one instance of its context.
    @Test("d.1 one object ID is one instance in a context, and another in another context")
    func uniquing() throws {
        let id = try savedID()
        let author = context.object(with: id)
        #expect(try context.existingObject(with: id) === author)
        #expect(try context.all("Author").first === author)
        #expect(try context.all("Book").first?.value(forKey: "author") as? NSManagedObject === author)
        #expect(coordinator.context().object(with: id) !== author)
    }

    @Test("d.1 an optional without a value, within Any, is no object for a to-one relationship")
    func nestedOptional() throws {
        let id = try savedID()
        let book = try #require(try context.all("Book").first)
        book.setValue(context.object(with: id) as NSManagedObject?, forKey: "author")
        book.setValue(Optional<NSManagedObject>.none as Any, forKey: "author")
        #expect(book.value(forKey: "author") == nil)
    }

    @Test("d.1 registeredObject(for:) knows only what is alive in the context")
    func registered() throws {
        let id = try savedID()
        #expect(context.registeredObject(for: id) == nil)
        let author = context.object(with: id)
        #expect(context.registeredObject(for: id) === author)
    }

    @Test("d.1 object(with:) gives a fault without looking, existingObject(with:) no fault, or throws")
    func lookups() throws {
        let id = try savedID()
        #expect(context.object(with: id).isFault)
        #expect(try !context.existingObject(with: id).isFault)
        let writer = coordinator.context()
        writer.delete(try writer.existingObject(with: id))
        try writer.save()
        let other = coordinator.context()
        #expect(other.object(with: id).isFault)
        #expect { try other.existingObject(with: id) } throws: { ($0 as NSError).code == 133000 }
    }

    /// [H] Neither question needs the members themselves.
    @Test("d.17 the IDs of a relationship, and whether it is read, are told without firing its members")
    func relationshipFaults() throws {
        let author = try context.existingObject(with: savedID())
        #expect(author.hasFault(forRelationshipNamed: "books"))
        let ids = author.objectIDs(forRelationshipNamed: "books")
        #expect(ids.count == 1)
        #expect(context.object(with: ids[0]).isFault)
        #expect(!author.hasFault(forRelationshipNamed: "books"))
        let fault = coordinator.context().object(with: author.objectID)
        #expect(fault.isFault)
    }

    /// [H] Since the last fetch or save; since pending changes were processed; as it was saved.
    @Test("d.18 changes are told since the save and since the event, beside what was saved")
    func changedValues() throws {
        let author = try context.existingObject(with: savedID())
        #expect(author.changedValues().isEmpty)
        author.setValue("Eva", forKey: "name")
        context.processPendingChanges()
        author.setValue(36, forKey: "age")
        #expect(author.changedValues().keys.sorted() == ["age", "name"])
        #expect(author.changedValuesForCurrentEvent().keys.sorted() == ["age"])
        #expect(author.changedValuesForCurrentEvent()["age"] is NSNull)
        let committed = author.committedValues(forKeys: ["name", "age"])
        #expect(committed["name"] as? String == "Ada")
        #expect(committed["age"] is NSNull)
        #expect(author.committedValues(forKeys: nil).keys.contains("worth"))
        try context.save()
        #expect(author.changedValues().isEmpty)
        #expect(author.committedValues(forKeys: ["name"])["name"] as? String == "Eva")
    }

    @Test("d.18 setting the same value makes changes, but none that a save has to keep; transients never do")
    func persistentChanges() throws {
        let author = try context.existingObject(with: savedID())
        author.setValue("Ada", forKey: "name")
        #expect(author.hasChanges)
        #expect(context.hasChanges)
        #expect(!author.hasPersistentChangedValues)
        #expect(author.changedValues().isEmpty)
        author.setValue("The Countess", forKey: "nickname")
        #expect(!author.hasPersistentChangedValues)
        author.setValue("Eva", forKey: "name")
        #expect(author.hasPersistentChangedValues)
    }

    @Test("d.18 primitive setters are not tracked")
    func primitive() throws {
        let author = try context.existingObject(with: savedID())
        author.setPrimitiveValue("Eva", forKey: "name")
        #expect(author.text("name") == "Eva")
        #expect(!author.hasChanges)
    }

    private func livingContext() throws -> (NSManagedObjectContext, NSPersistentStoreCoordinator) {
        let model = Witness.model()
        model.entities[0].managedObjectClassName = "FirnTests.Living"
        model.entities[0].attributesByName["name"]?.defaultValue = "unnamed"
        let coordinator = try Library.inMemory(model)
        return (coordinator.context(), coordinator)
    }

    /// [H] Defaults are there when the hook runs, once.
    @Test("d.19 awakeFromInsert comes once, after the defaults")
    func insertion() throws {
        let (context, _) = try livingContext()
        let object = try #require(context.make("Witness") as? Living)
        try context.save()
        #expect(object.heard.filter { $0.hasPrefix("insert") } == ["insert unnamed"])
    }

    @Test("d.19 firing a fault wakes the object from its fetch; becoming one is told before and after")
    func faulting() throws {
        let (context, _) = try livingContext()
        let object = try #require(context.make("Witness") as? Living)
        try context.save()
        object.heard = []
        context.refresh(object, mergeChanges: false)
        #expect(object.heard == ["will fault unnamed", "did fault"])
        _ = object.text("name")
        #expect(object.heard.last == "fetch")
    }

    /// [H][FCD] Asked again for every call, before the delete rules act.
    @Test("d.19 prepareForDeletion comes before the deletion, and again when it is deleted again")
    func deletion() throws {
        let (context, _) = try livingContext()
        let object = try #require(context.make("Witness") as? Living)
        try context.save()
        object.heard = []
        context.delete(object)
        context.delete(object)
        #expect(object.heard == ["prepare false", "prepare true"])
    }

    @Test("what awakeFromFetch sets makes nothing dirty, and no step to undo", arguments: [false, true])
    func settingAwakening(isFault: Bool) throws {
        let (context, _) = try livingContext()
        let object = try #require(context.make("Witness") as? Living)
        try context.save()
        context.undoManager = UndoManager()
        context.refresh(object, mergeChanges: false)
        object.onFetch = { $0.setValue("awake", forKey: "name") }
        let request = NSFetchRequest<NSManagedObject>(entityName: "Witness")
        request.returnsObjectsAsFaults = isFault
        _ = try context.fetch(request)
        #expect(object.text("name") == "awake")
        #expect(!context.hasChanges && !object.hasChanges)
        context.processPendingChanges()
        #expect(context.undoManager?.canUndo == false)
    }

    @Test("d.19 snapshot events tell refresh and rollback apart")
    func snapshotEvents() throws {
        let (context, _) = try livingContext()
        let object = try #require(context.make("Witness") as? Living)
        try context.save()
        object.heard = []
        object.setValue("Eva", forKey: "name")
        context.refresh(object, mergeChanges: true)
        context.rollback()
        let flags: [NSSnapshotEventType] = [.refresh, .rollback]
        #expect(object.heard == flags.map { "event \($0.rawValue)" })
    }
}

/// An object that keeps what its hooks heard.
final class Living: NSManagedObject {
    var heard: [String] = []
    var onFetch: ((Living) -> Void)?

    override func awakeFromInsert() { heard.append("insert \(text("name") ?? "nil")") }
    override func awakeFromFetch() {
        heard.append("fetch")
        onFetch?(self)
    }
    override func awake(fromSnapshotEvents flags: NSSnapshotEventType) { heard.append("event \(flags.rawValue)") }
    override func prepareForDeletion() { heard.append("prepare \(isDeleted)") }
    override func willTurnIntoFault() { heard.append("will fault \(text("name") ?? "nil")") }
    override func didTurnIntoFault() { heard.append("did fault") }
}
