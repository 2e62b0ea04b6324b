import Firn
import FirnModel
import Foundation
import TestSupport
import Testing

/// A programmer's mistake stops the program, with what to do instead.
@Suite("Bad use stops the program and says what to do")
struct MisuseTests {
    private func expect(
        _ advice: String, in result: ExitTest.Result?, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let message = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
        #expect(message.contains(advice), sourceLocation: sourceLocation)
    }

    @Test("deleting an object of another context")
    func deletion() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let coordinator = try Library.inMemory()
            let object = coordinator.context().make("Author")
            coordinator.context().delete(object)
        }
        expect("by object(with:), before deleting it", in: result)
    }

    @Test("inserting an object of another context")
    func insertion() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let coordinator = try Library.inMemory()
            let context = coordinator.context()
            let object = context.make("Author")
            coordinator.context().insert(object)
            withExtendedLifetime(context) {}
        }
        expect("belongs to another context already", in: result)
    }

    @Test("relating objects of different contexts")
    func contexts() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let coordinator = try Library.inMemory()
            let (first, second) = (coordinator.context(), coordinator.context())
            first.make("Book").setValue(second.make("Author"), forKey: "author")
        }
        expect("between objects in different contexts: fetch the object in this context first", in: result)
    }

    @Test("relating an object of another entity")
    func entity() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let context = try Library.inMemory().context()
            context.make("Book").setValue(context.make("Tag"), forKey: "author")
        }
        expect("desired entity = Author; given entity = Tag", in: result)
    }

    @Test("a value of another type")
    func type() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            try Library.inMemory().context().make("Author").setValue("old", forKey: "born")
        }
        expect("property \"born\": desired type = Date; given type = String", in: result)
    }

    @Test("a key that the entity does not have")
    func key() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            _ = try Library.inMemory().context().make("Tag").value(forKey: "name")
        }
        expect("not key value coding-compliant for the key \"name\"; its properties are books, label", in: result)
    }

    @Test("saving from within a save")
    func nestedSave() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let context = try Library.inMemory(Witness.model()).context()
            let object = context.make("Witness") as? Witness
            object?.onWillSave = { _ in try? context.save() }
            try context.save()
        }
        expect("save() was called from within a save", in: result)
    }

    @Test("performing on a context without a queue")
    func confinement() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            NSManagedObjectContext(concurrencyType: .confinementConcurrencyType).perform({})
        }
        expect("make it with mainQueue or privateQueue", in: result)
    }
}

/// What goes wrong outside costs no change that a context holds.
@Suite("Nothing is lost by a throwing hook or policy, or by what observers do")
struct NothingLostTests {
    struct Refusal: Error {}

    final class Refusing: NSMergePolicy, @unchecked Sendable {
        override func resolve(mergeConflicts list: [Any]) throws { throw Refusal() }
    }

    @Test("a merge policy that throws leaves all changes, and the save can be repeated")
    func policy() throws {
        let coordinator = try Library.inMemory()
        let (first, second) = (coordinator.context(), coordinator.context())
        let mine = first.make("Author", ["name": "Ada"])
        try first.save()
        let theirs = try second.existingObject(with: mine.objectID)
        theirs.setValue("Theirs", forKey: "name")
        try second.save()
        mine.setValue("Mine", forKey: "name")
        let new = first.make("Book", ["title": "Notes"])
        first.mergePolicy = Refusing(merge: .errorMergePolicyType)
        #expect(throws: (any Error).self) { try first.save() }
        #expect(first.insertedObjects == [new])
        #expect(first.updatedObjects == [mine])
        #expect(new.objectID.isTemporaryID)
        first.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
        try first.save()
        let reader = coordinator.context()
        #expect(try reader.strings("Author", "name") == ["Mine"])
        #expect(try reader.strings("Book", "title") == ["Notes"])
    }

    @Test("what an observer of a did-save changes is kept for the next save, which it may call itself")
    func observer() throws {
        let coordinator = try Library.inMemory()
        let context = coordinator.context()
        let author = context.make("Author", ["name": "Ada"])
        var saves = 0
        let watch = Watch(.NSManagedObjectContextDidSave, context) { _ in
            saves += 1
            guard saves == 1 else { return }
            author.setValue(36, forKey: "age")
            try? context.save()
        }
        try context.save()
        #expect(saves == 2)
        #expect(!context.hasChanges)
        let reader = coordinator.context()
        #expect(try reader.all("Author").first?.number("age") == 36)
        withExtendedLifetime(reader) {}
        withExtendedLifetime(watch) {}
    }
}
