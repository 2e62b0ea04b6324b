import FirnRuntime
import Foundation
import Synchronization
import Testing

/// Each test names the promise of Swift's runtime that the code leans on.
@Suite("References that are not counted")
struct ReferenceTests {
    private final class Counted: NSObject {
        let ended: @Sendable () -> Void
        init(_ ended: @escaping @Sendable () -> Void = {}) { self.ended = ended }
        deinit { ended() }
    }

    /// Counts how many objects ended.
    private final class Ends: Sendable {
        let count = Atomic(0)
        var object: Counted { Counted { [self] in count.add(1, ordering: .relaxed) } }
        var value: Int { count.load(ordering: .relaxed) }
    }

    @Test("an array of references is an array of addresses")
    func arrays() {
        let objects = (0..<5).map { _ in Counted() }
        objects.withReferences { references in
            #expect(references.map { $0.address } == objects.map { ObjectAddress(of: $0) })
        }
        var seen: [ObjectIdentifier] = []
        objects.forEachUnretained { seen.append(ObjectIdentifier($0)) }
        #expect(seen == objects.map { ObjectIdentifier($0) })
    }

    @Test("all objects as their class, or none if one is of another")
    func classes() {
        let objects: [NSObject] = [Counted(), Counted()]
        #expect(objects.all(as: Counted.self)?.count == 2)
        #expect((objects + [NSObject()]).all(as: Counted.self) == nil)
        #expect([NSObject]().all(as: Counted.self)?.isEmpty == true)
    }

    @Test("a reference that counts keeps its object until it is released")
    func retaining() {
        let ends = Ends()
        let reference = UncountedReference.retaining(ends.object)
        #expect(ends.value == 0)
        reference.release()
        #expect(ends.value == 1)
    }

    @Test("held memory tells that its object is gone")
    func heldMemory() {
        let ends = Ends()
        var object: Counted? = ends.object
        let address = object.map { ObjectAddress(of: $0) }
        address?.holdMemory()
        #expect(address?.isGone == false)
        #expect(address?.alive(as: Counted.self) === object)
        object = nil
        #expect(ends.value == 1)
        #expect(address?.isGone == true)
        #expect(address?.alive(as: Counted.self) == nil)
        address?.releaseMemory()
    }

    @Test("a weak reference is nil once its object is gone, and knows its object by address")
    func weak() {
        var object: Counted? = Counted()
        let reference = object.map { WeakReference($0) }
        #expect(reference?.object === object)
        #expect(object.map { reference?.refers(to: $0) } == true)
        #expect(reference?.refers(to: Counted()) == false)
        object = nil
        #expect(reference?.object == nil)
    }

    @Test("an atomic reference keeps its object, gives the old one, and refuses what is not expected")
    func atomic() {
        let ends = Ends()
        do {
            let reference = AtomicReference<Counted>(.marked)
            let isMarked = !reference.isNone
            #expect(isMarked)
            let made = UncountedReference.retaining(ends.object)
            let (isWrong, isRight) = (
                reference.replace(.none, with: .object(made)), reference.replace(.marked, with: .object(made)))
            #expect(!isWrong)
            #expect(isRight)
            guard case .object(let found) = reference.content else {
                Issue.record("the object is not there")
                return
            }
            #expect(found.address == made.address)
            reference.exchange(.none).release()
            #expect(ends.value == 1)
            let isNone = reference.isNone
            #expect(isNone)
            reference.exchange(.object(.retaining(ends.object))).release()
        }
        #expect(ends.value == 2)
    }
}
