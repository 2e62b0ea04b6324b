import FirnRuntime
public import Foundation

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

    /// Closes an event's group if it is still the open one.
    private func closeAtEndOfEvent(_ group: UndoGroup) {
        let close = { [weak self, weak group] in
            // A group that the user opened and left open keeps the event's group open.
            if let self, let group, openGroup === group { endUndoGrouping() }
        }
        if let atEndOfEvent { return atEndOfEvent(close) }
        // The run loop's signature demands `Sendable`, but the block runs on the thread that made it.
        let closing = Transferred(close)
        RunLoop.current.perform(inModes: runLoopModes) { closing.value() }
    }
}

extension Notification.Name {
    /// Posted when a nested group is opened, a group is closed, or the undo manager checks whether something can be
    /// undone or redone. An observer registers its pending operations then.
    public static let NSUndoManagerCheckpoint = Notification.Name(
        "NSUndoManagerCheckpointNotification")
    /// An undo begins.
    public static let NSUndoManagerWillUndoChange = Notification.Name(
        "NSUndoManagerWillUndoChangeNotification")
    /// An undo has ended.
    public static let NSUndoManagerDidUndoChange = Notification.Name(
        "NSUndoManagerDidUndoChangeNotification")
    /// A redo begins.
    public static let NSUndoManagerWillRedoChange = Notification.Name(
        "NSUndoManagerWillRedoChangeNotification")
    /// A redo has ended.
    public static let NSUndoManagerDidRedoChange = Notification.Name(
        "NSUndoManagerDidRedoChangeNotification")
    /// A group was opened.
    public static let NSUndoManagerDidOpenUndoGroup = Notification.Name(
        "NSUndoManagerDidOpenUndoGroupNotification")
    /// A group is about to be closed. `NSUndoManagerGroupIsDiscardableKey` says if it is discardable.
    public static let NSUndoManagerWillCloseUndoGroup = Notification.Name(
        "NSUndoManagerWillCloseUndoGroupNotification")
    /// A group was closed.
    public static let NSUndoManagerDidCloseUndoGroup = Notification.Name(
        "NSUndoManagerDidCloseUndoGroupNotification")
}

/// In the notifications of a closing group: true if the group is discardable.
public let NSUndoManagerGroupIsDiscardableKey = "NSUndoManagerGroupIsDiscardableKey"

/// The order among a run loop's observers at which Apple's undo manager closes an event's group.
public let NSUndoCloseGroupingRunLoopOrdering = 350_000
