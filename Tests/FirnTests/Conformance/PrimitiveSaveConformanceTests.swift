import Firn
import StoreSupport
import Testing

/// Primitive values that are saved with other changes of their objects.
@Suite("Conformance (a): primitive values")
struct PrimitiveSaveConformanceTests {
    /// [AD] A date of the last change, as in Apple's guide: no other change is one of it.
    @Test(
        "a.15 a primitive value is saved with another change of the object, before, in or after it",
        arguments: ["before", "after", "willSave"], [true, false])
    func primitiveOfUpdate(moment: String, inChild: Bool) throws {
        let coordinator = try Library.inMemory(Witness.model())
        let parent = coordinator.context()
        let made = try #require(parent.make("Witness", ["name": "Ada"]) as? Witness)
        try parent.save()
        let context = inChild ? NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType) : parent
        if inChild { context.parent = parent }
        let witness = try #require(context.object(with: made.objectID) as? Witness)
        let touch = { (witness: Witness) in witness.setPrimitiveValue(7, forKey: "count") }
        if moment == "before" { touch(witness) }
        #expect(!witness.hasChanges && witness.changedValues().isEmpty && !witness.hasPersistentChangedValues)
        witness.setValue("Eva", forKey: "name")
        if moment == "after" { touch(witness) }
        if moment == "willSave" { witness.onWillSave = touch }
        try context.save()
        if inChild { try parent.save() }
        let reader = coordinator.context()
        defer { withExtendedLifetime(reader) {} }
        #expect(try reader.all("Witness").first?.value(forKey: "count") as? Int == 7)
        context.refresh(witness, mergeChanges: false)
        #expect(witness.value(forKey: "count") as? Int == 7)
    }

    /// [AD] "Compute persistent values from other transient values."
    @Test("a.15 a primitive value is saved where only a transient one was changed")
    func primitiveOfTransient() throws {
        let coordinator = try Library.inMemory()
        let context = coordinator.context()
        let author = context.make("Author", ["name": "Ada"])
        try context.save()
        author.setValue("Countess", forKey: "nickname")
        author.setPrimitiveValue("Ada, Countess", forKey: "name")
        try context.save()
        context.refresh(author, mergeChanges: false)
        #expect(author.text("name") == "Ada, Countess")
    }

    /// [K]
    @Test("a.15 a primitive value of an unchanged object ends with a merge")
    func primitiveOfUnchanged() throws {
        let coordinator = try Library.inMemory()
        let (context, other) = (coordinator.context(), coordinator.context())
        let author = context.make("Author", ["name": "Ada", "age": 36])
        try context.save()
        author.setPrimitiveValue("Eva", forKey: "name")
        try other.existingObject(with: author.objectID).setValue(37, forKey: "age")
        try other.save()
        context.refresh(author, mergeChanges: true)
        author.setValue(38, forKey: "age")
        #expect(author.changedValues().keys.sorted() == ["age"])
        try context.save()
        #expect(author.text("name") == "Ada")
    }
}
