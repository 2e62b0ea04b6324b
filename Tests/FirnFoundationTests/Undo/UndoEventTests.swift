import FirnFoundation
import class FirnFoundation.UndoManager
import Foundation
import Testing

/// What happens in one event, without a run loop: the end of the event is called by the test.
private final class Events {
    let manager = UndoManager()
    var atEnd: [() -> Void] = []

    init() {
        manager.atEndOfEvent = { [unowned self] in atEnd.append($0) }
    }

    func register(_ handler: @escaping () -> Void = {}) {
        manager.registerUndo(withTarget: self) { _ in handler() }
    }

    func end() {
        let blocks = atEnd
        atEnd = []
        for block in blocks { block() }
    }
}

@Suite struct UndoEventTests {
    @Test("registrations of one event are one group")
    func oneGroup() {
        let events = Events()
        events.register()
        events.register()
        #expect(events.manager.groupingLevel == 1)
        events.end()
        #expect(events.manager.groupingLevel == 0)
        events.register()
        events.end()
        #expect(events.manager.undoCount == 2)
    }

    @Test("a group opened first in an event is inside the event's group")
    func insideEvent() {
        let events = Events()
        events.manager.beginUndoGrouping()
        #expect(events.manager.groupingLevel == 2)
        events.register()
        events.manager.endUndoGrouping()
        events.register()
        events.end()
        #expect(events.manager.undoCount == 1)
    }

    @Test("the end of an event does not close a group of a later event")
    func lateEnd() {
        let events = Events()
        events.register()
        events.manager.undo()
        events.register()
        let early = events.atEnd.removeFirst()
        early()
        #expect(events.manager.groupingLevel == 1)
    }

    @Test("the current run loop closes the group where no other end is given")
    func runLoop() {
        let manager = UndoManager()
        let target = NSObject()
        manager.registerUndo(withTarget: target) { _ in }
        _ = RunLoop.current.run(mode: .default, before: Date())
        #expect(manager.groupingLevel == 0)
        #expect(manager.undoCount == 1)
    }
}
