import Firn
import FirnModel
import StoreSupport
import TestSupport
import Testing

/// A uniqueness conflict is resolved while the save is written: what that changes is saved like every other change.
@Suite("Hooks of objects that a merge policy changes")
struct PolicyHookTests {
    private let context: NSManagedObjectContext
    private let saved: Witness

    init() throws {
        let model = Witness.model()
        model.entities[0].uniquenessConstraints = [["name"]]
        context = try Library.inMemory(model).context()
        context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        saved = try #require(context.make("Witness", ["name": "Ada", "count": 1]) as? Witness)
        try context.save()
        _ = context.make("Witness", ["name": "Ada", "count": 2])
    }

    @Test("an object to which a policy gives another one's values has willSave called with them")
    func called() throws {
        var seen: [Int?] = []
        saved.onWillSave = { seen.append($0.value(forKey: "count") as? Int) }
        try context.save()
        #expect(seen == [2])
    }

    @Test("what willSave changes after a policy is saved, and willSave is called for it again")
    func changes() throws {
        var count = 0
        saved.onWillSave = { witness in
            count += 1
            if witness.value(forKey: "count") as? Int == 2 { witness.setValue(3, forKey: "count") }
        }
        try context.save()
        #expect(count == 2)
        #expect(!context.hasChanges)
        context.reset()
        #expect(try context.all("Witness").map { $0.number("count") } == [3])
    }

    @Test("a hook that changes its object each time after a policy fails the save")
    func endless() throws {
        saved.onWillSave = { $0.setValue(($0.value(forKey: "count") as? Int ?? 0) + 1, forKey: "count") }
        #expect(throws: (any Error).self) { try context.save() }
    }
}
