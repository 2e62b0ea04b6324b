import Foundation

extension UndoManager {
    /// `endUndoGrouping()` without its promise to subclasses.
    func closeGroup() {
        post(.NSUndoManagerCheckpoint)
        guard let group = openGroup else {
            misuse("endUndoGrouping() without beginUndoGrouping() before it")
        }
        let userInfo: [AnyHashable: Any]? =
            group.isDiscardable ? [NSUndoManagerGroupIsDiscardableKey: true] : nil
        post(.NSUndoManagerWillCloseUndoGroup, userInfo: userInfo)
        openGroup = group.parent
        groupingLevel -= 1
        if !group.members.isEmpty { addClosedGroup(group) }
        post(.NSUndoManagerDidCloseUndoGroup, userInfo: userInfo)
    }

    func openEventGroupIfNeeded() {
        guard groupsByEvent, groupingLevel == 0, state == .idle else { return }
        pushGroup()
        guard let group = openGroup else { return }
        closeAtEndOfEvent(group)
    }

    func pushGroup() {
        // Opening a group at the top level must not flush changes into it: they may belong to the event before.
        if groupingLevel > 0 { post(.NSUndoManagerCheckpoint) }
        openGroup = UndoGroup(parent: openGroup)
        groupingLevel += 1
        post(.NSUndoManagerDidOpenUndoGroup)
    }

    private func addClosedGroup(_ group: UndoGroup) {
        if let parent = group.parent {
            parent.members.append(.group(group))
            return
        }
        switch state {
        case .undoing: redoStack.append(group)
        case .idle, .redoing: undoStack.append(group)
        }
        trim()
    }

    private func closeAtEndOfEvent(_ group: UndoGroup) {
        let event = EventEnd(manager: self, group: group)
        if let atEndOfEvent {
            atEndOfEvent { event.close() }
        } else {
            RunLoop.current.perform(inModes: runLoopModes) { event.close() }
        }
    }
}

/// Closes an event's group if it is still the open one.
///
/// The run loop's signature demands `Sendable`, but the block runs on the thread that made it.
private final class EventEnd: @unchecked Sendable {
    private weak var manager: UndoManager?
    private weak var group: UndoGroup?

    init(manager: UndoManager, group: UndoGroup) {
        self.manager = manager
        self.group = group
    }

    func close() {
        guard let manager, let group else { return }
        // A group that the user opened and left open keeps the event's group open.
        if manager.openGroup === group { manager.endUndoGrouping() }
    }
}
