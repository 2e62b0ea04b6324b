import Foundation

extension UndoManager {
    func undoTopGroup() {
        requireIdle("undo()")
        // Observers register what is still to be registered, and may open the event's group for it.
        post(.NSUndoManagerCheckpoint)
        if groupingLevel == 1 { endUndoGrouping() }
        if groupingLevel > 0 {
            misuse(
                "\(groupingLevel) groups are open: close them with endUndoGrouping() before undo()")
        }
        if let group = undoStack.popLast() { perform(group, as: .undoing) }
    }

    func undoLastClosedGroup() {
        requireIdle("undoNestedGroup()")
        post(.NSUndoManagerCheckpoint)
        guard let openGroup else {
            if let group = undoStack.popLast() { perform(group, as: .undoing) }
            return
        }
        switch openGroup.members.last {
        case .group(let group):
            openGroup.members.removeLast()
            perform(group, as: .undoing)
        case .operation:
            misuse("close the open group with endUndoGrouping() before undoNestedGroup()")
        case nil: break
        }
    }

    func redoTopGroup() {
        requireIdle("redo()")
        post(.NSUndoManagerCheckpoint)
        if let group = redoStack.popLast() { perform(group, as: .redoing) }
    }

    private func requireIdle(_ name: String) {
        if state != .idle { misuse("\(name) must not be called during an undo or redo") }
    }

    /// Runs a group's operations; what they register becomes the group of the opposite direction.
    private func perform(_ group: UndoGroup, as work: State) {
        post(work == .undoing ? .NSUndoManagerWillUndoChange : .NSUndoManagerWillRedoChange)
        let suspended = (group: openGroup, level: groupingLevel)
        openGroup = nil
        groupingLevel = 0
        state = work
        pushGroup()
        openGroup?.adoptLabels(of: group)
        group.run()
        // `removeAllActions()` in a handler has closed everything.
        while groupingLevel > 0 { endUndoGrouping() }
        state = .idle
        openGroup = suspended.group
        groupingLevel = suspended.level
        post(work == .undoing ? .NSUndoManagerDidUndoChange : .NSUndoManagerDidRedoChange)
    }
}
