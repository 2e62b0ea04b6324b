import FirnRuntime
import Foundation
import Testing

class RuntimeBase: NSObject {
    func first() -> Int { 1 }
    func second() -> Int { 2 }
}

class RuntimePlain: RuntimeBase {}
final class RuntimeOverriding: RuntimeBase { override func second() -> Int { 3 } }
final class RuntimeAlso: RuntimePlain { override func second() -> Int { 5 } }
final class RuntimeLarger: RuntimeBase { let value = 7 }

@Suite("Classes that are known only at run time")
struct ClassTests {
    @Test("an object becomes one of a subclass of its size, and of no larger one")
    func changes() {
        let object = RuntimeBase()
        #expect(ObjectClass.change(object, to: RuntimeOverriding.self))
        #expect(object.second() == 3)
        #expect(type(of: object) == RuntimeOverriding.self)
        #expect(!ObjectClass.change(RuntimeBase(), to: RuntimeLarger.self))
    }

    @Test("classes are found by their bare names")
    func loaded() {
        #expect(LoadedClasses.all(named: "RuntimeAlso").contains { $0 == RuntimeAlso.self })
        #expect(LoadedClasses.all(named: "RuntimeNowhere").isEmpty)
    }

    @Test("A name's module says which class is the first, and hides none")
    func qualified() {
        #expect(LoadedClasses.all(named: "FirnRuntimeTests.RuntimeAlso").first == RuntimeAlso.self)
        #expect(LoadedClasses.all(named: "Elsewhere.RuntimeAlso").contains { $0 == RuntimeAlso.self })
        #expect(LoadedClasses.all(named: ".RuntimeAlso").contains { $0 == RuntimeAlso.self })
        #expect(LoadedClasses.all(named: ".").isEmpty && LoadedClasses.all(named: "").isEmpty)
    }

    @Test("an atomic class is what was stored")
    func atomic() {
        let type = AtomicClass()
        #expect(type.load(as: RuntimeBase.self) == nil)
        type.store(RuntimePlain.self as RuntimeBase.Type)
        #expect(type.load(as: RuntimeBase.self) == RuntimePlain.self)
    }

    @Test("values of one word pass through a register and back")
    func words() {
        let object = RuntimeBase()
        let word = AccessorWord.word(of: object as RuntimeBase?)
        #expect(AccessorWord.value(of: word, as: RuntimeBase?.self) === object)
        #expect(AccessorWord.value(of: AccessorWord.word(of: [1, 2]), as: [Int].self) == [1, 2])
        #expect(AccessorWord.value(of: AccessorWord.word(of: UInt8(9)), as: UInt8.self) == 9)
    }

    @Test("each thread has its own object")
    func threadLocals() {
        let local = ThreadLocal<RuntimeBase>()
        #expect(local.object == nil)
        let object = RuntimeBase()
        local.set(object)
        #expect(local.object === object)
        let done = DispatchSemaphore(value: 0)
        let isEmptyElsewhere = Transferred(NSMutableArray())
        Thread.detachNewThread {
            isEmptyElsewhere.value.add(local.object == nil)
            done.signal()
        }
        done.wait()
        #expect(isEmptyElsewhere.value.firstObject as? Bool == true)
    }
}
