import FirnFoundation
import class FirnFoundation.UndoManager
import Foundation
import Testing

/// Registers an operation that registers itself again, in a group of its own.
private func record(_ manager: UndoManager, _ target: NSObject, name: String) {
    func register() { manager.registerUndo(withTarget: target) { _ in register() } }
    manager.beginUndoGrouping()
    register()
    manager.setActionName(name)
    manager.endUndoGrouping()
}

@Suite struct UndoLabelTests {
    let manager: UndoManager
    let target = NSObject()

    init() {
        manager = UndoManager()
        manager.groupsByEvent = false
    }

    @Test("an action's name goes from undo to redo and back")
    func names() {
        record(manager, target, name: "Typing")
        #expect(manager.undoActionName == "Typing")
        #expect(manager.undoMenuItemTitle == "Undo Typing")
        #expect(manager.redoMenuItemTitle == "Redo")
        manager.undo()
        #expect(manager.undoActionName == "")
        #expect(manager.redoActionName == "Typing")
        #expect(manager.redoMenuItemTitle == "Redo Typing")
        manager.redo()
        #expect(manager.undoActionName == "Typing")
    }

    @Test("a name can be given after the group was closed")
    func lateName() {
        record(manager, target, name: "")
        manager.setActionName("Paste")
        #expect(manager.undoActionName == "Paste")
    }

    @Test("values and discardability stay with the action")
    func userInfo() {
        let key = UndoManager.UserInfoKey(rawValue: "place")
        record(manager, target, name: "Move")
        manager.setActionUserInfoValue(7, forKey: key)
        manager.setActionIsDiscardable(true)
        manager.undo()
        #expect(manager.redoActionUserInfoValue(forKey: key) as? Int == 7)
        #expect(manager.redoActionIsDiscardable)
        #expect(!manager.undoActionIsDiscardable)
    }

    @Test("notifications tell of a group and of an undo in this order")
    func notifications() {
        var names: [String] = []
        let all: [Notification.Name] = [
            .NSUndoManagerCheckpoint, .NSUndoManagerDidOpenUndoGroup,
            .NSUndoManagerWillCloseUndoGroup, .NSUndoManagerDidCloseUndoGroup,
            .NSUndoManagerWillUndoChange, .NSUndoManagerDidUndoChange,
        ]
        // The block is called on this thread, by the post itself.
        nonisolated(unsafe) let log = { (name: String) in names.append(name) }
        let observers = all.map { name in
            NotificationCenter.default.addObserver(forName: name, object: manager, queue: nil) {
                log(
                    $0.name.rawValue.replacingOccurrences(of: "NSUndoManager", with: "")
                        .replacingOccurrences(of: "Notification", with: ""))
            }
        }
        record(manager, target, name: "x")
        #expect(
            names == [
                "DidOpenUndoGroup", "Checkpoint", "WillCloseUndoGroup", "DidCloseUndoGroup",
            ])
        names = []
        manager.undo()
        #expect(
            names == [
                "Checkpoint", "WillUndoChange", "DidOpenUndoGroup", "Checkpoint",
                "WillCloseUndoGroup", "DidCloseUndoGroup", "DidUndoChange",
            ])
        observers.forEach { NotificationCenter.default.removeObserver($0) }
    }

    @Test("what an observer of the checkpoint registers belongs to the undo")
    func checkpointRegisters() {
        var value = 1
        var isPending = true
        let target = target
        nonisolated(unsafe) let flush = { [manager] in
            if isPending {
                isPending = false
                manager.registerUndo(withTarget: target) { _ in value = 0 }
            }
        }
        manager.groupsByEvent = true
        manager.atEndOfEvent = { _ in }
        let observer = NotificationCenter.default.addObserver(
            forName: .NSUndoManagerCheckpoint, object: manager, queue: nil
        ) { _ in flush() }
        manager.undo()
        #expect(value == 0)
        NotificationCenter.default.removeObserver(observer)
    }
}
