import FirnFoundation
import class FirnFoundation.UndoManager
import Foundation
import Testing

/// A number whose changes can be undone.
private final class Counter {
    let manager: UndoManager
    var value = 0 {
        didSet { manager.registerUndo(withTarget: self) { $0.value = oldValue } }
    }

    init(groupsByEvent: Bool = false) {
        manager = UndoManager()
        manager.groupsByEvent = groupsByEvent
    }

    /// Sets the value in a group of its own.
    func set(_ value: Int) {
        manager.beginUndoGrouping()
        self.value = value
        manager.endUndoGrouping()
    }
}

@Suite struct UndoManagerTests {
    @Test("undo takes the last group back, redo brings it again")
    func undoAndRedo() {
        let counter = Counter()
        counter.set(1)
        counter.set(2)
        counter.manager.undo()
        #expect(counter.value == 1)
        counter.manager.undo()
        #expect(counter.value == 0)
        counter.manager.redo()
        #expect(counter.value == 1)
        counter.manager.redo()
        #expect(counter.value == 2)
        counter.manager.undo()
        #expect(counter.value == 1)
    }

    @Test("the operations of a group are performed newest first")
    func order() {
        let counter = Counter()
        var order: [Int] = []
        counter.manager.beginUndoGrouping()
        counter.manager.registerUndo(withTarget: counter) { _ in order.append(1) }
        counter.manager.beginUndoGrouping()
        counter.manager.registerUndo(withTarget: counter) { _ in order.append(2) }
        counter.manager.registerUndo(withTarget: counter) { _ in order.append(3) }
        counter.manager.endUndoGrouping()
        counter.manager.registerUndo(withTarget: counter) { _ in order.append(4) }
        counter.manager.endUndoGrouping()
        counter.manager.undo()
        #expect(order == [4, 3, 2, 1])
    }

    @Test("a change after an undo makes redo impossible")
    func changeClearsRedo() {
        let counter = Counter()
        counter.set(1)
        counter.manager.undo()
        #expect(counter.manager.canRedo)
        counter.set(5)
        #expect(!counter.manager.canRedo)
        counter.manager.redo()
        #expect(counter.value == 5)
    }

    @Test("undo without anything to undo does nothing")
    func nothing() {
        let counter = Counter()
        counter.manager.undo()
        counter.manager.redo()
        #expect(counter.value == 0)
        #expect(!counter.manager.canUndo)
    }

    @Test("undo closes an open group")
    func closesOpenGroup() {
        let counter = Counter()
        counter.manager.beginUndoGrouping()
        counter.value = 3
        #expect(counter.manager.canUndo)
        counter.manager.undo()
        #expect(counter.value == 0)
        #expect(counter.manager.groupingLevel == 0)
    }

    @Test("levelsOfUndo drops the oldest groups")
    func levels() {
        let counter = Counter()
        for value in 1...5 { counter.set(value) }
        counter.manager.levelsOfUndo = 2
        #expect(counter.manager.undoCount == 2)
        counter.set(6)
        for _ in 0..<5 { counter.manager.undo() }
        #expect(counter.value == 4)
        #expect(counter.manager.redoCount == 2)
    }

    @Test("levelsOfUndo drops what is redone last too")
    func redoLevels() {
        let counter = Counter()
        for value in 1...5 { counter.set(value) }
        for _ in 0..<4 { counter.manager.undo() }
        counter.manager.levelsOfUndo = 2
        #expect(counter.manager.redoCount == 2)
        counter.manager.redo()
        #expect(counter.value == 2)
    }

    @Test("nothing is recorded while registration is disabled, which nests")
    func disabled() {
        let counter = Counter()
        counter.manager.disableUndoRegistration()
        counter.manager.disableUndoRegistration()
        counter.manager.enableUndoRegistration()
        #expect(!counter.manager.isUndoRegistrationEnabled)
        counter.set(1)
        counter.manager.enableUndoRegistration()
        #expect(!counter.manager.canUndo)
    }

    @Test("a group without operations is forgotten")
    func emptyGroup() {
        let counter = Counter()
        counter.set(1)
        counter.manager.beginUndoGrouping()
        counter.manager.endUndoGrouping()
        #expect(counter.manager.undoCount == 1)
    }

    @Test("an undo that registers nothing leaves nothing to redo")
    func silentUndo() {
        let counter = Counter()
        counter.manager.beginUndoGrouping()
        counter.manager.registerUndo(withTarget: counter) { _ in }
        counter.manager.endUndoGrouping()
        counter.manager.undo()
        #expect(!counter.manager.canRedo)
    }

    @Test("removeAllActions forgets everything and enables registration")
    func removeAll() {
        let counter = Counter()
        counter.set(1)
        counter.set(2)
        counter.manager.undo()
        counter.manager.disableUndoRegistration()
        counter.manager.removeAllActions()
        #expect(!counter.manager.canUndo)
        #expect(!counter.manager.canRedo)
        #expect(counter.manager.isUndoRegistrationEnabled)
    }

    @Test("removeAllActions inside an undo ends it")
    func removeAllInside() {
        let counter = Counter()
        let manager = counter.manager
        manager.beginUndoGrouping()
        manager.registerUndo(withTarget: counter) { $0.manager.removeAllActions() }
        manager.endUndoGrouping()
        manager.undo()
        #expect(!manager.isUndoing)
        #expect(manager.groupingLevel == 0)
    }

    @Test("removeAllActions(withTarget:) forgets one object's operations only")
    func removeTarget() {
        let manager = UndoManager()
        manager.groupsByEvent = false
        let kept = NSObject()
        let removed = NSObject()
        var calls = 0
        for target in [kept, removed, kept] {
            manager.beginUndoGrouping()
            manager.registerUndo(withTarget: target) { _ in calls += 1 }
            manager.endUndoGrouping()
        }
        manager.removeAllActions(withTarget: removed)
        #expect(manager.undoCount == 2)
        manager.undo()
        manager.undo()
        #expect(calls == 2)
    }

    @Test("targets are not kept alive")
    func weakTarget() {
        let manager = UndoManager()
        manager.groupsByEvent = false
        var calls = 0
        manager.beginUndoGrouping()
        do {
            let target = NSObject()
            manager.registerUndo(withTarget: target) { _ in calls += 1 }
        }
        manager.endUndoGrouping()
        manager.undo()
        #expect(calls == 0)
    }

    @Test("undoNestedGroup undoes the last closed group inside the open one")
    func nested() {
        let counter = Counter()
        counter.manager.beginUndoGrouping()
        counter.value = 1
        counter.set(2)
        counter.manager.undoNestedGroup()
        #expect(counter.value == 1)
        #expect(counter.manager.groupingLevel == 1)
        #expect(counter.manager.redoCount == 1)
        counter.manager.endUndoGrouping()
        counter.manager.undo()
        #expect(counter.value == 0)
    }
}
