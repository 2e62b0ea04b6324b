public import Foundation

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
