import Firn
import FirnModel
import Foundation
import StoreSupport
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
        expect("belongs to another context already: take it from there with object(with:)", in: result)
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

    @Test("saving from an observer of the will-save notification")
    func saveFromWillSave() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let context = try Library.inMemory().context()
            _ = context.make("Author")
            let watch = Watch(.NSManagedObjectContextWillSave, context) { _ in try? context.save() }
            try context.save()
            withExtendedLifetime(watch) {}
        }
        expect("save() was called from within a save", in: result)
    }

    #if compiler(>=6.3)  // Exit tests capture values since then.
    @Test("resetting from a merge policy, which would lose what is being saved", arguments: [false, true])
    func resetFromPolicy(_ rollsBack: Bool) async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) { [rollsBack] in
            let (context, _) = try Dispute.make()
            context.mergePolicy = Meddling { if rollsBack { context.rollback() } else { context.reset() } }
            try context.save()
        }
        expect("was called while the context's changes are written", in: result)
    }
    #endif

    @Test("performing on a context without a queue")
    func confinement() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            NSManagedObjectContext(concurrencyType: .confinementConcurrencyType).perform({})
        }
        expect("make it with mainQueue or privateQueue", in: result)
    }
}
