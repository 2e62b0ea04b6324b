import Firn
import FirnModel
import FirnRuntime
import Foundation
import StoreSupport
import Testing

@Suite("What Core Data lets subclasses override can be overridden")
struct OverridingTests {
    /// A context that keeps the names of the calls it got.
    final class Listener: NSManagedObjectContext, @unchecked Sendable {
        var calls: [String] = []

        override func insert(_ object: NSManagedObject) {
            calls.append("insert")
            super.insert(object)
        }

        override func delete(_ object: NSManagedObject) {
            calls.append("delete")
            super.delete(object)
        }

        override func save() throws {
            calls.append("save")
            try super.save()
        }

        override func refresh(_ object: NSManagedObject, mergeChanges flag: Bool) {
            calls.append("refresh")
            super.refresh(object, mergeChanges: flag)
        }

        override func processPendingChanges() {
            calls.append("processPendingChanges")
            super.processPendingChanges()
        }
    }

    @Test("a context's override hears of what the application does and of what the context does itself")
    func context() throws {
        let coordinator = try Library.inMemory(Witness.model())
        let context = Listener(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        let object = context.make("Witness")
        try context.save()
        context.refresh(object, mergeChanges: false)
        context.delete(object)
        #expect(Set(context.calls) == ["insert", "delete", "save", "refresh", "processPendingChanges"])
        #expect(object.isDeleted)
    }

    private class Checked: NSManagedObject {
        override func validateValue(
            _ value: AutoreleasingUnsafeMutablePointer<AnyObject?>, forKey key: String
        ) throws {}
    }

    private final class CheckedAbove: Checked {}

    private final class CheckedElsewhere: NSManagedObject {
        override func validateForInsert() throws {}
        override func value(forKey key: String) -> Any? { nil }
    }

    @Test("a class and its subclasses tell by their method whether they override the validation of values")
    func validation() {
        let own = ObjectClass.validationOfValues(in: NSManagedObject.self)
        #expect(own != nil)
        #expect(ObjectClass.validationOfValues(in: CheckedElsewhere.self) == own)
        #expect(ObjectClass.validationOfValues(in: Checked.self) != own)
        #expect(ObjectClass.validationOfValues(in: CheckedAbove.self) != own)
    }

    @Test("an object's override of change tracking and primitive access is what callers get")
    func object() throws {
        let model = Witness.model()
        model.entities[0].managedObjectClassName = "FirnTests.Careful"
        let context = try Library.inMemory(model).context()
        let object = try #require(context.make("Witness", ["name": "Ada"]) as? Careful)
        object.willChangeValue(forKey: "name")
        object.setPrimitiveValue("Eva", forKey: "name")
        object.didChangeValue(forKey: "name")
        #expect(object.announced == ["name"])
        #expect(object.primitiveValue(forKey: "name") as? String == "EVA")
        #expect(object.changedValues().isEmpty)
    }

    @Test("a change that an observer saw is a change to be saved")
    func observed() throws {
        let context = try Library.inMemory(Witness.model()).context()
        let object = context.make("Witness", ["name": "Ada"])
        try context.save()
        object.setPrimitiveValue("Eva", forKey: "name")
        #expect(!context.hasChanges)
        context.observeValue(forKeyPath: "name", of: object, change: nil, context: nil)
        #expect(object.changedValues().keys.sorted() == ["name"])
        try context.save()
        context.refresh(object, mergeChanges: false)
        #expect(object.text("name") == "Eva")
    }

    @Test("new() makes a context of the older kind")
    func new() {
        #expect(NSManagedObjectContext.new().concurrencyType == .confinementConcurrencyType)
    }
}

/// An object that shouts, and tells nobody what it changed.
final class Careful: NSManagedObject {
    var announced: [String] = []

    override func didChangeValue(forKey key: String) {
        announced.append(key)
        super.didChangeValue(forKey: key)
    }

    override func primitiveValue(forKey key: String) -> Any? {
        (super.primitiveValue(forKey: key) as? String)?.uppercased()
    }

    override func changedValues() -> [String: Any] { [:] }
}
